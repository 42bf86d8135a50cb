"""The console script."""

from context_host.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
