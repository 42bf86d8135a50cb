"""Builds the release: one self-contained executable per provider, archived and checksummed as goreleaser names them.

Run by ``make release``. Into the output directory go, for the platform that this runs on,
``context-<name>_<version>_<os>_<arch>.tar.gz`` and ``context-<name>_<version>_checksums.txt`` for each provider, and
an ``agent.hcl`` to copy from. The executables themselves stay in ``build/release/bin``.

They need a C library no older than this machine's: build on the oldest system that is to be supported.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STUB = Path(__file__).with_name("stub.sh")
RESTORE = Path(__file__).with_name("restore_environment.py")
WORK = ROOT / "build" / "release"

PROVIDERS = {
    "claude-md": "context_claude_md.provider:ClaudeMdProvider",
    "agents-md": "context_agents_md.provider:AgentsMdProvider",
    "git-status": "context_git_status.provider:GitStatusProvider",
}

UNUSED = (
    *("ssl", "_ssl", "_hashlib"),  # asyncio and hashlib do without; OpenSSL would be an eighth of the file
    *("bz2", "lzma", "_bz2", "_lzma", "ctypes", "decimal", "_decimal", "xml", "pyexpat"),
    *("doctest", "ensurepip", "multiprocessing", "pdb", "pydoc", "sqlite3", "tkinter", "unittest"),
    *("setuptools", "pkg_resources"),
)
"""Modules that something imports if it can, and that no provider uses."""

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "315532800"))
"""The time that archives carry, 1980 where nobody says: the same sources give the same bytes."""


@dataclass(frozen=True)
class Facts:
    """What a provider says of itself."""

    name: str
    version: str
    source: str

    @property
    def program(self) -> str:
        return f"context-{self.name}"

    @property
    def folder(self) -> Path:
        return ROOT / "providers" / self.name.replace("-", "_")

    @property
    def package(self) -> str:
        return f"context_{self.name.replace('-', '_')}"


def main(arguments: list[str] | None = None) -> int:
    """Build the providers that were named, all of them when none was."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(PROVIDERS)}")
    parser.add_argument("--output", type=Path, default=ROOT / "dist")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(PROVIDERS))
    if unknown:
        parser.error(f"there is no provider {unknown[0]!r}; there are {', '.join(PROVIDERS)}")
    options.output.mkdir(parents=True, exist_ok=True)
    built = [facts_of(name) for name in options.names or PROVIDERS]
    for facts in built:
        executable = self_extracting(bundle(facts), WORK / "bin" / facts.program, facts.version)
        asset = archive(facts, executable, options.output)
        (options.output / f"{facts.program}_{facts.version}_checksums.txt").write_text(checksum(asset))
        print(f"{asset.name}  {asset.stat().st_size / 2**20:.1f} MiB")
    (options.output / "agent.hcl").write_text(agent_hcl(built))
    return 0


def facts_of(name: str) -> Facts:
    """Ask the provider's class, in the sources that are about to be built."""
    sys.path[:0] = [str(ROOT / "common"), str(ROOT / "providers" / name.replace("-", "_"))]
    from context_common.plugin.byhand import load  # noqa: PLC0415  (found in the sources, not installed)

    provider = load(PROVIDERS[name])
    return Facts(provider.name, provider.version, provider.source)


def bundle(facts: Facts) -> Path:
    """The program with an interpreter and its libraries, as a directory."""
    subprocess.run(
        [
            *(sys.executable, "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "WARN"),
            # Modules as files: reading them out of an archive would cost every start 15 ms.
            *("--onedir", "--strip", "--debug", "noarchive"),
            *("--name", facts.program, "--distpath", str(WORK / "onedir")),
            *("--workpath", str(WORK / "work"), "--specpath", str(WORK / "work")),
            *("--paths", str(ROOT / "common"), "--paths", str(facts.folder)),
            # The runtime imports the provider by name, after the handshake.
            *("--hidden-import", f"{facts.package}.provider", "--collect-submodules", facts.package),
            *("--collect-submodules", "context_common"),
            # gRPC's compiled module imports it, where the bundler cannot see.
            *("--hidden-import", "pkgutil"),
            *("--runtime-hook", str(RESTORE)),
            *(word for module in UNUSED for word in ("--exclude-module", module)),
            str(facts.folder / facts.package / "__main__.py"),
        ],
        check=True,
        env={**os.environ, "PYTHONHASHSEED": "1", "SOURCE_DATE_EPOCH": str(EPOCH)},
    )
    return WORK / "onedir" / facts.program


def self_extracting(directory: Path, executable: Path, version: str) -> Path:
    """One executable file that holds ``directory`` and becomes the program of its own name in it."""
    (directory / "complete").write_text("This is the last file of the archive: where it is, all others are.\n")
    payload = packed(directory, last="complete")
    stub = STUB.read_text()
    values = {
        "NAME": executable.name,
        "VERSION": version,
        "PLATFORM": "_".join(platform_name()),
        "DIGEST": hashlib.sha256(payload).hexdigest()[:16],
        "LINES": str(len(stub.splitlines()) + 1),
    }
    for name, value in values.items():
        stub = stub.replace(f"@{name}@", value)
    executable.parent.mkdir(parents=True, exist_ok=True)
    executable.write_bytes(stub.encode() + payload)
    executable.chmod(0o755)
    return executable


def packed(directory: Path, last: str) -> bytes:
    """The files of ``directory`` as a compressed archive, in an order of their own and ``last`` at the end."""
    files = sorted(path for path in directory.rglob("*") if path.is_file() or path.is_symlink())
    files.sort(key=lambda path: path == directory / last)
    return compressed([(path, str(path.relative_to(directory))) for path in files])


def archive(facts: Facts, executable: Path, output: Path) -> Path:
    """The release asset: the executable with what a reader of it needs."""
    snippet = WORK / f"{facts.name}.hcl"
    snippet.write_text(agent_hcl([facts]))
    members = [
        (executable, facts.program),
        (ROOT / "LICENSE", "LICENSE"),
        (facts.folder / "README.md", "README.md"),
        (snippet, "agent.hcl"),
    ]
    path = output / f"{facts.program}_{facts.version}_{'_'.join(platform_name())}.tar.gz"
    path.write_bytes(compressed(members))
    return path


def compressed(members: list[tuple[Path, str]]) -> bytes:
    """A ``tar.gz`` of ``(file, name)`` that is the same whenever and wherever it is made."""

    def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = EPOCH
        member.mode = 0o755 if member.mode & 0o100 else 0o644
        return member

    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path, name in members:
            tar.add(path, name, recursive=False, filter=anonymous)
    return gzip.compress(plain.getvalue(), compresslevel=9, mtime=0)


def checksum(asset: Path) -> str:
    """A line for ``sha256sum --check``."""
    return f"{hashlib.sha256(asset.read_bytes()).hexdigest()}  {asset.name}\n"


def agent_hcl(built: list[Facts]) -> str:
    """What an operator writes to install these providers, with an empty block for each."""
    width = max(len(facts.name) for facts in built)
    declared = "\n".join(
        f'  {facts.name:<{width}} = {{ source = "{facts.source}", version = "~> {facts.version.rpartition(".")[0]}" }}'
        for facts in built
    )
    blocks = "\n".join(f'\nprovider "{facts.name}" {{\n}}' for facts in built)
    return f"required_providers {{\n{declared}\n}}\n{blocks}\n"


def platform_name() -> tuple[str, str]:
    """Operating system and processor as goreleaser spells them."""
    machine = platform.machine().lower()
    return sys.platform, {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)


if __name__ == "__main__":
    if shutil.which("strip") is None:
        print("strip is not installed: install binutils first", file=sys.stderr)
        raise SystemExit(1)
    raise SystemExit(main())
