"""What is on a page: its visible texts, links and images, and what it says for machines."""
