from context_common.wire import content_pb2 as _content_pb2
from context_common.wire import model_pb2 as _model_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ContextContributionEvent(_message.Message):
    __slots__ = ("content", "tokens", "target")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    content: _containers.RepeatedCompositeFieldContainer[_content_pb2.ContentBlock]
    tokens: int
    target: _model_pb2.ModelTarget
    def __init__(self, content: _Optional[_Iterable[_Union[_content_pb2.ContentBlock, _Mapping]]] = ..., tokens: _Optional[int] = ..., target: _Optional[_Union[_model_pb2.ModelTarget, _Mapping]] = ...) -> None: ...
