"""The AGENTS.md context provider."""
