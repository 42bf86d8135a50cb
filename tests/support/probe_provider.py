"""A provider that shows the runtime from inside: what it was given, and everything an author may do wrong."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from context_common.config import Config, option
from context_common.errors import SourceUnavailableError
from context_common.plugin import serve
from context_common.provider import Draft, Provider, Request, Stability


@dataclass(frozen=True)
class ProbeConfig(Config):
    mood: str = option("calm", "What to do: calm, missing, bug, exit, print, twins.")
    farewell: str = option("", "A file to write when closed.")


class ProbeProvider(Provider[ProbeConfig]):
    name = "probe"
    version = "1.2.3"
    source = "github.com/example/context-probe"
    default_token_budget = 400
    stability = Stability.DYNAMIC
    config_type = ProbeConfig

    def configure(self, config: ProbeConfig) -> None:
        if config.mood == "missing":
            raise SourceUnavailableError("mood: nothing is there")
        self.config = config

    def contribute(self, request: Request) -> list[Draft]:
        if self.config.mood == "bug":
            raise KeyError("a bug of the author's")
        if self.config.mood == "exit":
            sys.exit("the author's library gives up")
        if self.config.mood == "print":
            print("x" * 200_000)
            print('{"@message": 1, "@level": 2}', file=sys.stderr)
            os.write(1, b"raw bytes\n")
        if self.config.mood == "twins":
            return [Draft("Twin", ladder=(text,)) for text in ("one", "two")]
        request.log.info("asked", mood=self.config.mood)
        facts = [f"budget={request.token_budget}", f"model={request.model.id}", f"cwd={request.working_directory}"]
        facts += [f"parent={request.parent_session_id}", "touched=" + ",".join(request.files_touched)]
        return [Draft("Probe", ladder=("\n".join(facts), "short"), stability=Stability.DYNAMIC)]

    def close(self) -> None:
        if self.config.farewell:
            Path(self.config.farewell).write_text("closed", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(serve("support.probe_provider:ProbeProvider"))
