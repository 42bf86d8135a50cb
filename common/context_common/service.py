"""ContextService over a `Provider`: what a host calls, with everything that an author need not think of."""

from __future__ import annotations

import os
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import unquote_plus
from weakref import WeakValueDictionary

import grpc

from context_common.baselines import Baseline, Sessions
from context_common.chain import merge, wire_stability
from context_common.config import Config, decoded, read, schema
from context_common.errors import ContextError
from context_common.incoming import request_of
from context_common.provider import Level, Log, Provider
from context_common.rendering import render
from context_common.status import abort
from context_common.wire import common_pb2, context_pb2

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from google.protobuf.message import Message

    from context_common.kernel import Kernel

SERVICE: Final = "pluggableharness.context.v1.ContextService"
PROTOCOL_VERSION: Final = 1
BUDGET_VARIABLE: Final = "CONTEXT_TOKEN_BUDGET"
"""Raises (or lowers) the declared default budget, for hosts that send nothing else."""
STAMP_VARIABLE: Final = "OTEL_RESOURCE_ATTRIBUTES"
_STAMP: Final = "pluggableharness.producer."

RequestT = TypeVar("RequestT", bound="Message")
AnswerT = TypeVar("AnswerT", bound="Message")


@dataclass
class _Session:
    lock: threading.Lock = field(default_factory=threading.Lock)
    touched: dict[str, None] = field(default_factory=dict)
    baseline: Baseline = field(default_factory=Baseline)


class ContextService:
    """The five RPCs of one provider.

    Args:
        provider_type: the provider's class; an object of it is made for every configuration.
        kernel: the callbacks.
        environment: where the local name and the declared budget are read from.
    """

    def __init__(
        self, provider_type: type[Provider[Any]], kernel: Kernel, environment: Mapping[str, str] = os.environ
    ) -> None:
        self._type = provider_type
        self._kernel = kernel
        self._stamped_name = stamped_name(environment)
        self._log = Log(kernel.log)
        self._default_budget = self._declared_budget(environment.get(BUDGET_VARIABLE, ""))
        self._sessions = Sessions(_Session)
        self._configuring = threading.Lock()
        self._config = Config()
        self._provider: Provider[Any] | None = None
        # One that a new configuration replaced lives for as long as a call still uses it.
        self._alive: WeakValueDictionary[int, Provider[Any]] = WeakValueDictionary()
        kernel.name_logger(self.local_name)

    @property
    def local_name(self) -> str:
        """The name under which the operator declared this plugin; it marks our sections in the chain."""
        return self._config.name or self._stamped_name or self._type.name

    def handler(self) -> grpc.GenericRpcHandler:
        """The service as gRPC serves it."""
        methods: dict[str, tuple[Callable[[Any, grpc.ServicerContext], Message], type[Message]]] = {
            "Describe": (self.describe, context_pb2.DescribeRequest),
            "GetCapabilities": (self.get_capabilities, context_pb2.GetCapabilitiesRequest),
            "Configure": (self.configure, context_pb2.ConfigureRequest),
            "Contribute": (self.contribute, context_pb2.ContextRequest),
            "Render": (self.render, context_pb2.RenderRequest),
        }
        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                name: grpc.unary_unary_rpc_method_handler(
                    self._answering(method), request.FromString, lambda answer: answer.SerializeToString()
                )
                for name, (method, request) in methods.items()
            },
        )

    def close(self) -> None:
        """End what the providers started and let the last log entries go."""
        for provider in tuple(self._alive.values()):
            provider.close()
        self._kernel.close()

    def describe(
        self, _request: context_pb2.DescribeRequest, _context: grpc.ServicerContext
    ) -> context_pb2.DescribeResponse:
        """The published identity, whatever the operator calls the plugin."""
        return context_pb2.DescribeResponse(
            producer=common_pb2.ProducerRef(
                name=self._type.name,
                version=self._type.version,
                source=self._type.source,
                category=common_pb2.CATEGORY_CONTEXT,
                protocol_version=PROTOCOL_VERSION,
            )
        )

    def get_capabilities(
        self, _request: context_pb2.GetCapabilitiesRequest, _context: grpc.ServicerContext
    ) -> context_pb2.GetCapabilitiesResponse:
        """Fixed facts; no source is read for them."""
        return context_pb2.GetCapabilitiesResponse(
            capabilities=context_pb2.ContextCapabilities(
                default_token_budget=self._default_budget,
                stability=wire_stability(self._type.stability),
                config_schema=schema(self._type.config_type),
            )
        )

    def configure(
        self, request: context_pb2.ConfigureRequest, _context: grpc.ServicerContext
    ) -> context_pb2.ConfigureResponse:
        """Take a configuration; one that is refused leaves the earlier one in force."""
        config: Config = read(self._type.config_type, decoded(request.config))
        with self._configuring:
            self._install(config)
        return context_pb2.ConfigureResponse()

    def contribute(
        self, request: context_pb2.ContextRequest, context: grpc.ServicerContext
    ) -> context_pb2.ContextContribution:
        """The chain with our sections in it."""
        provider = self._configured()
        session = self._sessions.get(request.session_id)
        log = Log(self._kernel.log, request.session_id)
        with session.lock:
            session.touched.update(dict.fromkeys(request.files_touched))
            budget = self._budget(request.token_budget)
            drafts = provider.contribute(request_of(request, tuple(session.touched), budget, log))
            model_id = request.model_target.id
            count = self._kernel.counter(model_id, context.time_remaining)
            outcome = session.baseline.contribute(drafts, budget, count, model_id)
            if count.fell_back:
                session.baseline.distrust_counts()
        for label, number in Counter(draft.label for draft in drafts).items():
            if number > 1:
                log.error("several drafts have this label, and one is sent", section=label, drafts=number)
        for event in outcome.events:
            log(event.level, event.message, **event.fields)
        return context_pb2.ContextContribution(
            sections=merge(request.prior_sections, outcome.sections, self.local_name)
        )

    def render(self, request: context_pb2.RenderRequest, _context: grpc.ServicerContext) -> context_pb2.RenderResponse:
        """A stored firing as a collapsed node."""
        return context_pb2.RenderResponse(tree=render(request.payload, request.schema_version, self.local_name))

    def _configured(self) -> Provider[Any]:
        """The provider, with defaults where the host has not configured it."""
        with self._configuring:
            return self._provider or self._install(self._type.config_type())

    def _install(self, config: Config) -> Provider[Any]:
        provider = self._type()
        provider.log = self._log
        provider.configure(config)
        self._alive[id(provider)] = provider
        self._provider, self._config = provider, config
        self._kernel.name_logger(self.local_name)
        return provider

    def _budget(self, allocated: int) -> int:
        """Tokens for this firing: the host's allocation, or the operator's cap where that is smaller."""
        return max(0, min(allocated, self._config.token_budget or allocated))

    def _declared_budget(self, text: str) -> int:
        if not text:
            return self._type.default_token_budget
        if re.fullmatch("0*[1-9][0-9]{0,17}", text):
            return int(text)
        self._log.warn(f"{BUDGET_VARIABLE} is {text!r}; accepted is a whole number of tokens above 0, so it is ignored")
        return self._type.default_token_budget

    def _answering(
        self, method: Callable[[RequestT, grpc.ServicerContext], AnswerT]
    ) -> Callable[[RequestT, grpc.ServicerContext], AnswerT]:
        """The method with every exception turned into the status it stands for."""

        def answer(request: RequestT, context: grpc.ServicerContext) -> AnswerT:
            try:
                return method(request, context)
            except ContextError as failure:
                self._log(Level.WARN, str(failure), category=failure.category)
                abort(context, failure)
            except BaseException as failure:  # noqa: BLE001  (whatever it was, gRPC would leave the host without an answer)
                self._log.error(f"{type(failure).__name__}: {failure}", category="unknown", where=_where(failure))
                abort(context, failure)

        return answer


def stamped_name(environment: Mapping[str, str]) -> str:
    """The operator's local name for this plugin, where the host stamped one for a context provider; else ``""``.

    An inherited stamp may be another plugin's, so one of another category is not believed.
    """
    stamp = {}
    for pair in environment.get(STAMP_VARIABLE, "").split(","):
        name, _, value = pair.partition("=")
        stamp[name.strip()] = unquote_plus(value.strip())
    return stamp.get(_STAMP + "name", "") if stamp.get(_STAMP + "category") == "context" else ""


def _where(failure: BaseException) -> str:
    """File and line of the innermost frame, for whoever mends it."""
    trace = failure.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}" if trace else ""
