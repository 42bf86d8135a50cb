"""Decides whether a token may see a ledger."""

import hmac


def is_valid(token: str, expected: str) -> bool:
    """Whether ``token`` is the expected one; takes the same time for every wrong token."""
    return hmac.compare_digest(token.encode(), expected.encode())
