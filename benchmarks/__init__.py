"""Ratios against peers: two things in one run, on one machine, interleaved, their answers compared
while the clock runs.
"""
