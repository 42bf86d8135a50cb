"""The validator refuses every token but one."""

import unittest

from src.auth.validator import is_valid


class ValidatorTest(unittest.TestCase):
    """Facts about tokens."""

    def test_other_token_is_refused(self) -> None:
        """A token that merely begins alike does not pass."""
        self.assertFalse(is_valid("secret-1", "secret-12"))
