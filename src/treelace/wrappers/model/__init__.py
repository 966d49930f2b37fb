"""What a wrapper knows, as a readable file: its parts, reading and writing, mistakes in it."""
