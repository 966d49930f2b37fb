"""The tests, as a package: oracles and strategies are imported as `tests.oracles.…`,
`tests.strategies`.
"""
