"""Tools for those who test systems like this one: sites and changes whose truth is known."""
