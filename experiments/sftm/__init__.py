"""Figures 6 to 9 of the SFTM paper, with every matcher there is."""
