"""The steps of MDR, MDR-2 and DEPTA, as the papers have them."""
