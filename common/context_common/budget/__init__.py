"""Drafts fitted to a token budget by whole units.

The count is handed in and is the only authority: nothing here estimates tokens.
"""

from context_common.budget.fit import Count, fit
from context_common.budget.layout import whole

__all__ = ["Count", "fit", "whole"]
