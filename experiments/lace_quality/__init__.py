"""How good `lace` is on mutants of real pages, on sites it was tuned on and on others."""
