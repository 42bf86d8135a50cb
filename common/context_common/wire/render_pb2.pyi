from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TextStyle(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TEXT_STYLE_UNSPECIFIED: _ClassVar[TextStyle]
    TEXT_STYLE_NORMAL: _ClassVar[TextStyle]
    TEXT_STYLE_BOLD: _ClassVar[TextStyle]
    TEXT_STYLE_ITALIC: _ClassVar[TextStyle]
    TEXT_STYLE_CODE: _ClassVar[TextStyle]
    TEXT_STYLE_DIM: _ClassVar[TextStyle]
    TEXT_STYLE_ERROR: _ClassVar[TextStyle]
    TEXT_STYLE_WARNING: _ClassVar[TextStyle]
    TEXT_STYLE_SUCCESS: _ClassVar[TextStyle]
TEXT_STYLE_UNSPECIFIED: TextStyle
TEXT_STYLE_NORMAL: TextStyle
TEXT_STYLE_BOLD: TextStyle
TEXT_STYLE_ITALIC: TextStyle
TEXT_STYLE_CODE: TextStyle
TEXT_STYLE_DIM: TextStyle
TEXT_STYLE_ERROR: TextStyle
TEXT_STYLE_WARNING: TextStyle
TEXT_STYLE_SUCCESS: TextStyle

class RenderTree(_message.Message):
    __slots__ = ("root",)
    ROOT_FIELD_NUMBER: _ClassVar[int]
    root: RenderNode
    def __init__(self, root: _Optional[_Union[RenderNode, _Mapping]] = ...) -> None: ...

class RenderNode(_message.Message):
    __slots__ = ("text", "code_block", "table", "link", "list", "group", "collapsible")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CODE_BLOCK_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    LINK_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    COLLAPSIBLE_FIELD_NUMBER: _ClassVar[int]
    text: TextNode
    code_block: CodeBlockNode
    table: TableNode
    link: LinkNode
    list: ListNode
    group: GroupNode
    collapsible: CollapsibleNode
    def __init__(self, text: _Optional[_Union[TextNode, _Mapping]] = ..., code_block: _Optional[_Union[CodeBlockNode, _Mapping]] = ..., table: _Optional[_Union[TableNode, _Mapping]] = ..., link: _Optional[_Union[LinkNode, _Mapping]] = ..., list: _Optional[_Union[ListNode, _Mapping]] = ..., group: _Optional[_Union[GroupNode, _Mapping]] = ..., collapsible: _Optional[_Union[CollapsibleNode, _Mapping]] = ...) -> None: ...

class TextNode(_message.Message):
    __slots__ = ("content", "style")
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    STYLE_FIELD_NUMBER: _ClassVar[int]
    content: str
    style: TextStyle
    def __init__(self, content: _Optional[str] = ..., style: _Optional[_Union[TextStyle, str]] = ...) -> None: ...

class CodeBlockNode(_message.Message):
    __slots__ = ("language", "content")
    LANGUAGE_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    language: str
    content: str
    def __init__(self, language: _Optional[str] = ..., content: _Optional[str] = ...) -> None: ...

class TableNode(_message.Message):
    __slots__ = ("headers", "rows")
    HEADERS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    headers: _containers.RepeatedScalarFieldContainer[str]
    rows: _containers.RepeatedCompositeFieldContainer[TableRow]
    def __init__(self, headers: _Optional[_Iterable[str]] = ..., rows: _Optional[_Iterable[_Union[TableRow, _Mapping]]] = ...) -> None: ...

class TableRow(_message.Message):
    __slots__ = ("cells",)
    CELLS_FIELD_NUMBER: _ClassVar[int]
    cells: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cells: _Optional[_Iterable[str]] = ...) -> None: ...

class LinkNode(_message.Message):
    __slots__ = ("text", "url")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    URL_FIELD_NUMBER: _ClassVar[int]
    text: str
    url: str
    def __init__(self, text: _Optional[str] = ..., url: _Optional[str] = ...) -> None: ...

class ListNode(_message.Message):
    __slots__ = ("items", "ordered")
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    ORDERED_FIELD_NUMBER: _ClassVar[int]
    items: _containers.RepeatedCompositeFieldContainer[RenderNode]
    ordered: bool
    def __init__(self, items: _Optional[_Iterable[_Union[RenderNode, _Mapping]]] = ..., ordered: bool = ...) -> None: ...

class GroupNode(_message.Message):
    __slots__ = ("children",)
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    children: _containers.RepeatedCompositeFieldContainer[RenderNode]
    def __init__(self, children: _Optional[_Iterable[_Union[RenderNode, _Mapping]]] = ...) -> None: ...

class CollapsibleNode(_message.Message):
    __slots__ = ("summary", "children", "collapsed_by_default")
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    COLLAPSED_BY_DEFAULT_FIELD_NUMBER: _ClassVar[int]
    summary: str
    children: _containers.RepeatedCompositeFieldContainer[RenderNode]
    collapsed_by_default: bool
    def __init__(self, summary: _Optional[str] = ..., children: _Optional[_Iterable[_Union[RenderNode, _Mapping]]] = ..., collapsed_by_default: bool = ...) -> None: ...
