from context_common.wire import content_pb2 as _content_pb2
from context_common.wire import log_pb2 as _log_pb2
from context_common.wire import model_pb2 as _model_pb2
from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EventKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EVENT_KIND_UNSPECIFIED: _ClassVar[EventKind]
    EVENT_KIND_MESSAGE: _ClassVar[EventKind]
    EVENT_KIND_TOOL_CALL: _ClassVar[EventKind]
    EVENT_KIND_TOOL_RESULT: _ClassVar[EventKind]
    EVENT_KIND_PLAN: _ClassVar[EventKind]
    EVENT_KIND_APPLY: _ClassVar[EventKind]
    EVENT_KIND_CONTEXT_CONTRIBUTION: _ClassVar[EventKind]
    EVENT_KIND_MEMORY_WRITE: _ClassVar[EventKind]
    EVENT_KIND_MEMORY_UPDATE: _ClassVar[EventKind]
    EVENT_KIND_MEMORY_DELETE: _ClassVar[EventKind]
    EVENT_KIND_HOOK_ERROR: _ClassVar[EventKind]
EVENT_KIND_UNSPECIFIED: EventKind
EVENT_KIND_MESSAGE: EventKind
EVENT_KIND_TOOL_CALL: EventKind
EVENT_KIND_TOOL_RESULT: EventKind
EVENT_KIND_PLAN: EventKind
EVENT_KIND_APPLY: EventKind
EVENT_KIND_CONTEXT_CONTRIBUTION: EventKind
EVENT_KIND_MEMORY_WRITE: EventKind
EVENT_KIND_MEMORY_UPDATE: EventKind
EVENT_KIND_MEMORY_DELETE: EventKind
EVENT_KIND_HOOK_ERROR: EventKind

class CountTokensRequest(_message.Message):
    __slots__ = ("content", "model_ref")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    MODEL_REF_FIELD_NUMBER: _ClassVar[int]
    content: _containers.RepeatedCompositeFieldContainer[_content_pb2.ContentBlock]
    model_ref: _model_pb2.ModelRef
    def __init__(self, content: _Optional[_Iterable[_Union[_content_pb2.ContentBlock, _Mapping]]] = ..., model_ref: _Optional[_Union[_model_pb2.ModelRef, _Mapping]] = ...) -> None: ...

class CountTokensResult(_message.Message):
    __slots__ = ("count", "exact")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    EXACT_FIELD_NUMBER: _ClassVar[int]
    count: int
    exact: bool
    def __init__(self, count: _Optional[int] = ..., exact: bool = ...) -> None: ...

class LogRequest(_message.Message):
    __slots__ = ("session_id", "entries")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    entries: _containers.RepeatedCompositeFieldContainer[_log_pb2.LogEntry]
    def __init__(self, session_id: _Optional[str] = ..., entries: _Optional[_Iterable[_Union[_log_pb2.LogEntry, _Mapping]]] = ...) -> None: ...

class LegacyLogRequest(_message.Message):
    __slots__ = ("session_id", "entry")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    ENTRY_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    entry: _log_pb2.LogEntry
    def __init__(self, session_id: _Optional[str] = ..., entry: _Optional[_Union[_log_pb2.LogEntry, _Mapping]] = ...) -> None: ...

class LogResult(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetConfigRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetConfigResult(_message.Message):
    __slots__ = ("config",)
    CONFIG_FIELD_NUMBER: _ClassVar[int]
    config: _struct_pb2.Struct
    def __init__(self, config: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class EmitRequest(_message.Message):
    __slots__ = ("session_id", "kind", "schema_version", "payload")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_VERSION_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    kind: EventKind
    schema_version: str
    payload: bytes
    def __init__(self, session_id: _Optional[str] = ..., kind: _Optional[_Union[EventKind, str]] = ..., schema_version: _Optional[str] = ..., payload: _Optional[bytes] = ...) -> None: ...

class EmitResult(_message.Message):
    __slots__ = ("id", "sequence")
    ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    id: str
    sequence: int
    def __init__(self, id: _Optional[str] = ..., sequence: _Optional[int] = ...) -> None: ...
