"""What rules tell of real pages through their real versions, and what they keep quiet about."""
