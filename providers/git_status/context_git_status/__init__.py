"""The git status context provider."""
