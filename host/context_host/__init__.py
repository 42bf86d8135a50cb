"""A small, honest host for context providers."""
