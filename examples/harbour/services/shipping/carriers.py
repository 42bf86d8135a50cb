"""Which carrier takes a parcel."""

HEAVY_GRAMS = 2000


def carrier(grams: int) -> str:
    """The carrier for a parcel of ``grams``."""
    return "parcel" if grams > HEAVY_GRAMS else "letter"
