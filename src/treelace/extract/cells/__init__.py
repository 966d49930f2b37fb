"""Values of a table that know where they came from, made when someone looks at them."""
