"""Types of columns: what their texts mean."""
