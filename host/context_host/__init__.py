"""A small, honest host for context providers."""

import os

# grpc would write its own chatter between the lines of ours, and reads this when it is first imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")
