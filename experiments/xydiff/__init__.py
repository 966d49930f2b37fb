"""Cobéna, Abiteboul, Marian: Detecting Changes in XML Documents (ICDE 2002), section 6."""
