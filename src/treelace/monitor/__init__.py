"""What someone wants to be told: rules, what they say of changes, channels, and when to look
again.
"""
