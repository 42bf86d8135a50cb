"""The CLAUDE.md context provider."""
