"""Monitoring: rules on changes, their alerts, channels, and when to look again."""
