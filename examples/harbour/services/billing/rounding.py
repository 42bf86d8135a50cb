"""Rounds once, at the very end, half a cent away from zero."""


def to_cents(amount: int, parts: int) -> int:
    """The cents of ``amount`` parts, of which a cent has ``parts``."""
    sign = -1 if amount < 0 else 1
    return sign * ((2 * abs(amount) + parts) // (2 * parts))
