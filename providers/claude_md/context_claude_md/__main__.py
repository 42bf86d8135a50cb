"""The console script: a go-plugin process that serves this provider."""

from context_common.plugin import serve


def main() -> int:
    """Serve the provider to the host that started this process; return the exit code."""
    return serve("context_claude_md.provider:ClaudeMdProvider")


if __name__ == "__main__":
    raise SystemExit(main())
