"""Sessions are plain values: what is projected, recorded and measured needs no plugin and no wire."""

import subprocess
import sys


def test_projection_transcript_and_measure_import_no_grpc():
    """Another host can take them without ours."""
    code = "import sys, context_host.transcript, context_host.measure; print([n for n in ('grpc', 'google') if n in sys.modules])"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"
