"""Sums up who owes whom; every amount is in cents."""


def balances(payments: dict[str, int]) -> dict[str, int]:
    """What each person is owed after ``payments``; the values add up to zero."""
    share, rest = divmod(sum(payments.values()), len(payments))
    # The first people in the ledger carry the cents that cannot be split.
    return {name: paid - share - (index < rest) for index, (name, paid) in enumerate(payments.items())}
