"""What the context providers share: text handling, budgets, guarded reading, and the plugin runtime."""

__version__ = "0.1.0"
