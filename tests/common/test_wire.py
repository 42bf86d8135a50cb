"""The generated messages are what the .proto files say, and what the contract says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WIRE = ROOT / "common" / "context_common" / "wire"


def test_generated_code_is_current(tmp_path: Path) -> None:
    """What protoc makes of the .proto files is what is committed, down to the byte."""
    protos = sorted(WIRE.glob("*.proto"))
    command = [sys.executable, "-m", "grpc_tools.protoc", "-I", str(ROOT / "common")]
    subprocess.run([*command, f"--python_out={tmp_path}", f"--pyi_out={tmp_path}", *map(str, protos)], check=True)
    for made in sorted((tmp_path / "context_common" / "wire").iterdir()):
        committed = WIRE / made.name
        assert committed.exists(), f"{made.name} is missing; run: make protos"
        assert committed.read_bytes() == made.read_bytes(), f"{made.name} has drifted; run: make protos"
    expected = {f"{proto.stem}{suffix}" for proto in protos for suffix in ("_pb2.py", "_pb2.pyi")}
    assert {path.name for path in WIRE.glob("*_pb2*")} == expected


# Typed from the contract's tables: package.Message, then name and number of each field.
CONTRACT = """
common.v1.ProducerRef name 1 version 2 source 3 category 4 protocol_version 5
common.v1.PromptExpansionSpec name 1 description 2 template 3
config.v1.ConfigAttribute name 1 type 2 required 3 sensitive 4 description 5 object_attributes 6 default_json 7
config.v1.ConfigSchema attributes 1
content.v1.Message role 1 content 2 id 3 produced_by_model_id 4 produced_by_provider 5
content.v1.ContentBlock text 1 tool_use 2 tool_result 3 image 4 thinking 5 redacted_thinking 6 document 7
content.v1.TextBlock text 1
content.v1.ToolUseBlock id 1 name 2 arguments 3
content.v1.ToolResultBlock tool_use_id 1 content 2 is_error 3
content.v1.ImageBlock data 1 media_type 2
content.v1.ThinkingBlock text 1 signature 2
content.v1.RedactedThinkingBlock data 1
content.v1.DocumentBlock data 1 media_type 2 filename 3
content.v1.ContextSection provider 1 label 2 content 3 tokens 4 stability 5 truncated 6
model.v1.ModelTarget id 1 context_window 2 effective_ceiling 3
model.v1.ModelRef provider 1 id 2
context.v1.ContextCapabilities default_token_budget 1 stability 2 compactor 3 slash_commands 4 config_schema 5 supported_hook_points 6
context.v1.GetCapabilitiesRequest
context.v1.GetCapabilitiesResponse capabilities 1
context.v1.ConfigureRequest config 1
context.v1.ConfigureResponse
context.v1.ContextRequest session_id 1 parent_session_id 2 turn_id 3 token_budget 4 model_target 5 files_touched 6 working_directory 7 prior_sections 8 conversation_history 9 history_tokens 10 assembled_tokens_last_turn 11
context.v1.ContextContribution sections 1 rewritten_history 2
context.v1.ContextError category 1 message 2 retryable 3
context.v1.RenderRequest payload 1 schema_version 2
context.v1.RenderResponse tree 1
context.v1.DescribeRequest
context.v1.DescribeResponse producer 1
event.v1.ContextContributionEvent content 1 tokens 2 target 3
log.v1.LogEntry level 1 logger 2 message 3 fields 4 time 5
kernel.v1.CountTokensRequest content 1 model_ref 2
kernel.v1.CountTokensResult count 1 exact 2
kernel.v1.LogRequest session_id 1 entries 3
kernel.v1.LegacyLogRequest session_id 1 entry 2
kernel.v1.LogResult
kernel.v1.GetConfigRequest
kernel.v1.GetConfigResult config 1
kernel.v1.EmitRequest session_id 1 kind 2 schema_version 3 payload 4
kernel.v1.EmitResult id 1 sequence 2
render.v1.RenderTree root 1
render.v1.RenderNode text 1 code_block 2 table 4 link 5 list 6 group 7 collapsible 8
render.v1.TextNode content 1 style 2
render.v1.CodeBlockNode language 1 content 2
render.v1.TableNode headers 1 rows 2
render.v1.TableRow cells 1
render.v1.LinkNode text 1 url 2
render.v1.ListNode items 1 ordered 2
render.v1.GroupNode children 1
render.v1.CollapsibleNode summary 1 children 2 collapsed_by_default 3
"""


@pytest.mark.parametrize("row", CONTRACT.strip().splitlines(), ids=lambda row: row.split()[0])
def test_fields_have_the_contracts_numbers(row: str) -> None:
    """Every message has exactly the fields of the contract, under the contract's numbers."""
    from google.protobuf import descriptor_pool

    import context_common.wire.context_pb2
    import context_common.wire.event_pb2
    import context_common.wire.kernel_pb2  # noqa: F401  (registers the messages)

    name, *words = row.split()
    message = descriptor_pool.Default().FindMessageTypeByName(f"pluggableharness.{name}")
    expected = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    assert {field.name: field.number for field in message.fields} == expected


ENUMS = {
    "common.v1.Category": "CATEGORY_ UNSPECIFIED MODEL TOOL CONTEXT MEMORY FRONTEND WIDGET SLASHCOMMAND",
    "common.v1.HookPoint": "HOOK_POINT_ UNSPECIFIED SESSION_START PRE_MODEL_CALL POST_MODEL_RESPONSE PRE_TOOL_CALL PLAN_READY POST_TOOL_CALL POST_APPLY SESSION_END",
    "config.v1.AttrType": "ATTR_TYPE_ UNSPECIFIED STRING NUMBER BOOL LIST_STRING LIST_NUMBER MAP_STRING OBJECT",
    "content.v1.Role": "ROLE_ UNSPECIFIED USER ASSISTANT",
    "content.v1.Stability": "STABILITY_ UNSPECIFIED STATIC DYNAMIC",
    "context.v1.ContextErrorCategory": "CONTEXT_ERROR_CATEGORY_ UNSPECIFIED SOURCE_UNAVAILABLE BUDGET_EXCEEDED SCOPE_VIOLATION INVALID_REQUEST UNKNOWN",
    "log.v1.LogLevel": "LOG_LEVEL_ UNSPECIFIED TRACE DEBUG INFO WARN ERROR FATAL",
    "kernel.v1.EventKind": "EVENT_KIND_ UNSPECIFIED MESSAGE TOOL_CALL TOOL_RESULT PLAN APPLY CONTEXT_CONTRIBUTION MEMORY_WRITE MEMORY_UPDATE MEMORY_DELETE HOOK_ERROR",
    "render.v1.TextStyle": "TEXT_STYLE_ UNSPECIFIED NORMAL BOLD ITALIC CODE DIM ERROR WARNING SUCCESS",
}


@pytest.mark.parametrize("name", ENUMS)
def test_enums_count_up_from_unspecified(name: str) -> None:
    """Every enum has the contract's values, numbered from zero in the contract's order."""
    from google.protobuf import descriptor_pool

    import context_common.wire.context_pb2
    import context_common.wire.kernel_pb2  # noqa: F401  (registers the enums)

    prefix, *values = ENUMS[name].split()
    enum = descriptor_pool.Default().FindEnumTypeByName(f"pluggableharness.{name}")
    assert [(value.name, value.number) for value in enum.values] == [
        (prefix + value, number) for number, value in enumerate(values)
    ]


def test_optional_fields_know_whether_they_were_set() -> None:
    """The fields that the contract marks optional carry presence."""
    from context_common.wire.config_pb2 import ConfigAttribute
    from context_common.wire.kernel_pb2 import CountTokensRequest, LogRequest

    assert not ConfigAttribute().HasField("default_json")
    assert ConfigAttribute(default_json="").HasField("default_json")
    assert not LogRequest().HasField("session_id")
    assert not CountTokensRequest().HasField("model_ref")


def test_no_message_takes_go_plugins_names() -> None:
    """go-plugin's messages live in a package of ours, so that another library's copy cannot clash with them."""
    from context_common.wire import goplugin_pb2

    assert goplugin_pb2.DESCRIPTOR.package == "context_common.goplugin"
