"""A plugin written for tests, with grpcio and nothing of ours but the messages: it behaves, or misbehaves in one named way.

Run as ``python odd_plugin.py MODE``. The first part of a mode is what happens at start, the rest how it answers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from google.rpc import code_pb2, status_pb2
from grpc_status import rpc_status

from context_common.wire import common_pb2, config_pb2, content_pb2, context_pb2, goplugin_pb2, kernel_pb2, model_pb2

Section = content_pb2.ContextSection
MODE = sys.argv[1] if len(sys.argv) > 1 else "plain"


def block(text):
    return content_pb2.ContentBlock(text=content_pb2.TextBlock(text=text))


def own(text, label="Notes", **fields):
    values = {
        "provider": NAME,
        "label": label,
        "content": [block(text)],
        "tokens": -(-len(text.encode()) // 4),
        "stability": STABILITY,
    }
    return Section(**{**values, **fields})


def local_name():
    stamp = os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    return dict(pair.split("=", 1) for pair in stamp.split(",") if pair).get("pluggableharness.producer.name", "odd")


def tell(stream, line):
    stream.write(f"{line}\n")
    stream.flush()


def stand_still(seconds=60):
    Path("standing-still").touch()
    time.sleep(seconds)


NAME = local_name()
STABILITY = content_pb2.STABILITY_DYNAMIC if MODE.startswith("dynamic") else content_pb2.STABILITY_STATIC
CONFIG = {}
CONNECTION = {}
FIRINGS = []


def capabilities(request, context):
    if MODE == "no-capabilities":
        context.abort(grpc.StatusCode.INTERNAL, "cannot say what it can do")
    attribute = config_pb2.ConfigAttribute
    schema = config_pb2.ConfigSchema(
        attributes=[
            attribute(name="text", type=config_pb2.ATTR_TYPE_STRING, default_json='"hello"'),
            attribute(name="count", type=config_pb2.ATTR_TYPE_NUMBER, default_json="1"),
            attribute(
                name="token_budget",
                type=config_pb2.ATTR_TYPE_STRING if MODE == "budget-of-words" else config_pb2.ATTR_TYPE_NUMBER,
            ),
            attribute(name="loud", type=config_pb2.ATTR_TYPE_BOOL),
            attribute(name="names", type=config_pb2.ATTR_TYPE_LIST_STRING, default_json='["a", "b"]'),
            attribute(name="sizes", type=config_pb2.ATTR_TYPE_LIST_NUMBER),
            attribute(name="labels", type=config_pb2.ATTR_TYPE_MAP_STRING),
            attribute(name="needed", type=config_pb2.ATTR_TYPE_STRING, required=MODE == "demanding"),
        ]
    )
    return context_pb2.GetCapabilitiesResponse(
        capabilities=context_pb2.ContextCapabilities(
            default_token_budget=100, stability=STABILITY, compactor=MODE.startswith("compactor"), config_schema=schema
        )
    )


def configure(request, context):
    if MODE == "escape":
        error = context_pb2.ContextError(
            category=context_pb2.CONTEXT_ERROR_CATEGORY_SOURCE_UNAVAILABLE, message="a\x1b[2Jb\nc"
        )
        refuse(context, code_pb2.UNAVAILABLE, error)
    if MODE == "refuse-configure":
        error = context_pb2.ContextError(
            category=context_pb2.CONTEXT_ERROR_CATEGORY_SOURCE_UNAVAILABLE,
            message="there is no CLAUDE.md at docs/CLAUDE.md",
        )
        refuse(context, code_pb2.UNAVAILABLE, error)
    CONFIG.update(request.config)
    return context_pb2.ConfigureResponse()


def refuse(context, code, error):
    status = status_pb2.Status(code=code, message=error.message)
    status.details.add().Pack(error)
    context.abort_with_status(rpc_status.to_status(status))


def contribute(request, context):
    FIRINGS.append(request)
    prior = list(request.prior_sections)
    answer = ANSWERS.get(MODE, plain)(request, prior, context)
    return (
        answer
        if isinstance(answer, context_pb2.ContextContribution)
        else context_pb2.ContextContribution(sections=answer)
    )


def plain(request, prior, context):
    return [*prior, own(CONFIG.get("text") or "hello")]


def violate(change):
    def answer(request, prior, context):
        sections = [*prior, own("mine")]
        change(sections)
        return sections

    return answer


def rename(sections):
    sections[0].provider = "somebody-else"


def retouch(sections):
    sections[0].tokens += 1


def compact(request, prior, context):
    history = [
        content_pb2.Message(
            role=content_pb2.ROLE_USER, content=[block(f"summary of {len(request.conversation_history)}")]
        )
    ]
    short = [
        Section(provider=s.provider, label=s.label, content=[block("short")], stability=s.stability) for s in prior
    ]
    return context_pb2.ContextContribution(sections=[*short, own("compacted")], rewritten_history=history)


def rewrite_history(request, prior, context):
    return context_pb2.ContextContribution(
        sections=[*prior, own("mine")], rewritten_history=[content_pb2.Message(role=content_pb2.ROLE_USER)]
    )


def fail(request, prior, context):
    error = context_pb2.ContextError(
        category=context_pb2.CONTEXT_ERROR_CATEGORY_SOURCE_UNAVAILABLE, message="the source went away", retryable=True
    )
    refuse(context, code_pb2.UNAVAILABLE, error)


def fail_strangely(request, prior, context):
    refuse(context, code_pb2.INTERNAL, context_pb2.ContextError(category=99, message="of another age"))


def ask(request, prior, context):
    """Answers with what the kernel said when it was asked to count."""
    text = CONFIG.get("text") or "hello"
    try:
        reply = kernel_call(
            "CountTokens",
            kernel_pb2.CountTokensRequest(
                content=[block(text)], model_ref=model_pb2.ModelRef(id=request.model_target.id)
            ),
            kernel_pb2.CountTokensResult,
        )
        said = f"{reply.count} exact={reply.exact}"
    except grpc.RpcError as error:
        said = f"refused {error.code().name}"
    return [*prior, own(said)]


def echo(request, prior, context):
    said = f"budget={request.token_budget} ceiling={request.model_target.effective_ceiling} history={request.history_tokens} last={request.assembled_tokens_last_turn} files={','.join(request.files_touched)} parent={request.parent_session_id} messages={len(request.conversation_history)}"
    return [*prior, own(said)]


def log(request, prior, context):
    entry = {"level": 3, "message": "looked around", "logger": "odd"}
    message = kernel_pb2.LogRequest(entries=[entry])
    message.entries[0].time.GetCurrentTime()
    message.entries[0].fields.update({"seen": "3"})
    kernel_call("Log", message, kernel_pb2.LogResult)
    try:
        kernel_call("Log", kernel_pb2.LogRequest(entries=[{"level": 3}]), kernel_pb2.LogResult)
        said = "accepted"
    except grpc.RpcError as error:
        said = error.code().name
    return [*prior, own(f"an entry without message: {said}")]


def kernel_call(method, request, response_type):
    deadline = time.monotonic() + 20
    while "address" not in CONNECTION and time.monotonic() < deadline:
        time.sleep(0.005)
    channel = CONNECTION.setdefault("channel", grpc.insecure_channel("unix:" + CONNECTION["address"]))
    call = channel.unary_unary(
        f"/pluggableharness.kernel.v1.KernelCallbackService/{method}",
        request_serializer=type(request).SerializeToString,
        response_deserializer=response_type.FromString,
    )
    return call(request, timeout=20)


def image():
    return content_pb2.ContentBlock(image=content_pb2.ImageBlock(data=b"x", media_type="image/png"))


ANSWERS = {
    "plain": plain,
    "drop-foreign": violate(lambda sections: sections.pop(0)),
    "rename-foreign": violate(rename),
    "retouch-foreign": violate(retouch),
    "swap-foreign": violate(lambda sections: sections.reverse()),
    "pose-as-other": violate(lambda sections: sections.append(own("theirs", provider="somebody-else"))),
    "image": lambda r, prior, c: [*prior, own("text stays"), own("", label="Picture", content=[image()])],
    "empty-label": lambda r, prior, c: [*prior, own("text stays"), own("nameless", label="")],
    "silent": lambda r, prior, c: prior,
    "control": lambda r, prior, c: [*prior, own("text", label="Clear\x1b[2Jscreen")],
    "no-stability": lambda r, prior, c: [*prior, own("text", stability=content_pb2.STABILITY_UNSPECIFIED)],
    "wrong-count": lambda r, prior, c: [*prior, own("hello", tokens=99)],
    "over-budget": lambda r, prior, c: [*prior, own("small"), own("x" * 4 * (r.token_budget + 1), label="Too large", truncated=True)],
    "over-sum": lambda r, prior, c: [*prior, own("x" * 4 * (r.token_budget - 10)), own("y" * 44, label="One too many")],
    "rewrite-history": rewrite_history,
    "compactor": compact,
    "compactor-too-large": lambda r, prior, c: [*prior, own("x" * 4 * (r.token_budget + 1))],
    "compactor-stranger": lambda r, prior, c: [*prior, own("theirs", provider="nobody"), own("mine")],
    "fail": fail,
    "fail-later": lambda r, prior, c: fail(r, prior, c) if len(FIRINGS) > 1 else plain(r, prior, c),
    "fail-between": lambda r, prior, c: fail(r, prior, c) if len(FIRINGS) in {2, 3} else plain(r, prior, c),
    "fade": lambda r, prior, c: prior if len(FIRINGS) > 1 else plain(r, prior, c),
    "fail-strangely": fail_strangely,
    "fail-plainly": lambda r, prior, c: c.abort(grpc.StatusCode.UNKNOWN, "boom"),
    "die": lambda r, prior, c: os._exit(7),
    "hang-in-call": lambda r, prior, c: stand_still(),
    "slow": lambda r, prior, c: stand_still(1) or plain(r, prior, c),
    "ask": ask,
    "echo": echo,
    "log": log,
    "dynamic": lambda r, prior, c: [*prior, own(f"firing {len(FIRINGS)}", label="Counter")],
    "config": lambda r, prior, c: [*prior, own(", ".join(f"{key}={value if not hasattr(value, 'items') else dict(value)}" if not hasattr(value, "values") or hasattr(value, "items") else f"{key}={list(value)}" for key, value in sorted(CONFIG.items())))],
    "environment": lambda r, prior, c: [*prior, own(" ".join(sorted(os.environ)))],
}  # fmt: skip


def start_stream(requests, context):
    for info in requests:
        CONNECTION["address"] = info.address
    if MODE != "stubborn":
        LEAVE.set()
    yield from ()


def shutdown(request, context):
    if MODE == "stubborn":
        Path("standing-still").touch()
    else:
        LEAVE.set()
    return goplugin_pb2.Empty()


LEAVE = threading.Event()


def describe(request, context):
    if MODE == "fall-over":
        tell(sys.stderr, "cannot find its own parts")
        threading.Timer(0.05, os._exit, [3]).start()
        context.abort(grpc.StatusCode.UNIMPLEMENTED, "not there yet")
    if MODE == "hang-in-describe":
        stand_still()
    if MODE == "describe-unknown":
        producer = common_pb2.ProducerRef(name="odd", category=99)
    elif MODE == "describe-wrong":
        producer = common_pb2.ProducerRef(name="odd", category=common_pb2.CATEGORY_MODEL)
    else:
        producer = common_pb2.ProducerRef(
            name="odd",
            version="1.2.3",
            source="github.com/example/odd",
            category=common_pb2.CATEGORY_CONTEXT,
            protocol_version=1,
        )
    return context_pb2.DescribeResponse(producer=producer)


def method(function, request_type):
    return grpc.unary_unary_rpc_method_handler(
        function, request_type.FromString, lambda message: message.SerializeToString()
    )


def serve():
    directory = tempfile.mkdtemp()
    server = grpc.server(ThreadPoolExecutor(8))
    context_methods = {} if MODE == "not-a-context" else {
        "Describe": method(describe, context_pb2.DescribeRequest),
        "GetCapabilities": method(capabilities, context_pb2.GetCapabilitiesRequest),
        "Configure": method(configure, context_pb2.ConfigureRequest),
        "Contribute": method(contribute, context_pb2.ContextRequest),
    }  # fmt: skip
    stream = grpc.stream_stream_rpc_method_handler(
        start_stream, goplugin_pb2.ConnInfo.FromString, goplugin_pb2.ConnInfo.SerializeToString
    )
    services = {
        "pluggableharness.context.v1.ContextService": context_methods,
        "plugin.GRPCBroker": {"StartStream": stream},
        "plugin.GRPCController": {"Shutdown": method(shutdown, goplugin_pb2.Empty)},
    }
    for service, methods in services.items():
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, methods),))
    network, address = "unix", f"{directory}/s"
    if MODE == "tcp":
        network, address = "tcp", f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    else:
        server.add_insecure_port(f"unix:{address}")
    server.start()
    if MODE == "grandchild":
        subprocess.Popen(["sleep", "300"])
    tell(sys.stdout, f"1|1|{network}|{address}|grpc|")
    if MODE == "chatty":
        tell(sys.stdout, "hello from stdout")
        tell(sys.stderr, '{"@level":"warn","@message":"look here","@module":"odd","n":1}')
        tell(sys.stderr, "[ERROR] plain words")
    LEAVE.wait()
    server.stop(0)
    shutil.rmtree(directory)
    os._exit(0)


STARTS = {
    "exit": lambda: sys.exit("cannot find its own feet"),
    "print": lambda: tell(sys.stdout, "Hello, world"),
    "hang": stand_still,
    "silent-close": lambda: (os.close(1), time.sleep(60)),
    "old-core": lambda: tell(sys.stdout, "2|1|unix|/x|grpc|"),
    "old-app": lambda: tell(sys.stdout, "1|6|unix|/x|grpc|"),
    "netrpc": lambda: tell(sys.stdout, "1|1|unix|/x"),
    "tls": lambda: tell(sys.stdout, "1|1|unix|/x|grpc|MIIB"),
    "killed": lambda: os.kill(os.getpid(), 9),
}

if __name__ == "__main__":
    if MODE in STARTS:
        STARTS[MODE]()
        time.sleep(60)
    else:
        serve()
