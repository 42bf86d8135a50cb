"""agent.hcl becomes declarations; whatever is wrong with it is one sentence with file and line."""

from __future__ import annotations

import pytest

from context_common.wire import config_pb2
from context_host.agent_hcl import read_agent_hcl, read_dev_overrides
from context_host.decode import decode
from context_host.errors import Exit, UnusableError
from context_host.hcl import read_value

ENVIRONMENT = {"HOME": "/home/sam", "STYLE": "docs/style.md"}


def read(tmp_path, text):
    path = tmp_path / "agent.hcl"
    path.write_text(text, encoding="utf-8")
    try:
        return read_agent_hcl(path, ENVIRONMENT)
    except UnusableError as error:
        return str(error).replace(f"{tmp_path}/", "")


FULL = """
# what the project uses
required_providers {
  claude-md = { source = "github.com/agentco/context-claude-md", version = "~> 1.0" }
  git       = { source = "github.com/agentco/context-git-status" }
  agents-md = { source = "github.com/agentco/context-agents-md", version = "~> 1.0" }
}

context "agents-md" {
  glob = "**/AGENTS.md"
}

provider "claude-md" {
  path             = env("STYLE")
  max_import_depth = 2
  exclude          = ["vendor/**", "${env("STYLE")}"]
  user             = true
  nothing          = null

  environment {
    CONTEXT_TOKEN_BUDGET = "3000"
  }
}
"""


def test_declarations_keep_the_order_of_required_providers(tmp_path):
    """Blocks may come in any order; the chain follows required_providers."""
    assert [declaration.name for declaration in read(tmp_path, FULL).declarations] == ["claude-md", "git", "agents-md"]


def test_both_block_spellings_configure(tmp_path):
    """`provider` and `context` blocks mean the same; only the latter says which category the plugin is of."""
    claude, git, agents = read(tmp_path, FULL).declarations
    assert agents.arguments["glob"].value == "**/AGENTS.md"
    assert (agents.certain, claude.certain, git.certain) == (True, False, False)


def test_values_come_decoded_with_their_lines(tmp_path):
    """Strings, numbers, lists, booleans, null and env() arrive as values that know where they were written."""
    claude = read(tmp_path, FULL).declarations[0]
    values = {name: given.value for name, given in claude.arguments.items()}
    assert values == {
        "path": "docs/style.md",
        "max_import_depth": 2,
        "exclude": ["vendor/**", "docs/style.md"],
        "user": True,
        "nothing": None,
    }
    assert claude.arguments["max_import_depth"].where.endswith("agent.hcl:15")


def test_environment_block_never_reaches_the_arguments(tmp_path):
    """`environment {}` is the kernel's own and is kept apart."""
    claude = read(tmp_path, FULL).declarations[0]
    assert claude.environment == {"CONTEXT_TOKEN_BUDGET": "3000"}
    assert "environment" not in claude.arguments


def test_program_is_named_by_the_source(tmp_path):
    """The local name is free; the last component of the source is the program."""
    assert read(tmp_path, FULL).declarations[1].program == "context-git-status"


@pytest.mark.parametrize("block", ["policy", "agent_profile", "hook", "settings"])
def test_blocks_of_other_parts_are_ignored_with_a_note(tmp_path, block):
    """A real agent.hcl holds more than context; each such block is noted and nothing else happens."""
    configuration = read(tmp_path, f'\n{block} "x" {{\n  a = 1\n}}\n')
    assert configuration.declarations == ()
    assert [note.rpartition("/")[2] for note in configuration.notes] == [
        f"agent.hcl:2: block '{block}' is not used by this host"
    ]


@pytest.mark.parametrize("content", ["a = b.c", 'a = env("NOPE")', "a = 1\n  a = 2", "inner { x = y }"])
def test_inside_of_ignored_blocks_anything_goes(tmp_path, content):
    """Whatever the other parts of the host accept there."""
    assert read(tmp_path, f"policy {{\n  {content}\n}}\n").declarations == ()


KEYLESS = 'required_providers {{\n  x = {{ source = "s/{}" }}\n}}\n{} "x" {{\n  key = env("NOPE")\n}}\n'


def test_fault_in_the_block_of_what_may_be_a_model_waits(tmp_path):
    """A model's key need not be set here; it matters once the program turns out to be a context provider."""
    declaration = read(tmp_path, KEYLESS.format("model-x", "provider")).declarations[0]
    with pytest.raises(UnusableError, match=r'agent\.hcl:5: env\("NOPE"\): this variable is not set'):
        decode(config_pb2.ConfigSchema(), declaration)


@pytest.mark.parametrize(("program", "kind"), [("context-x", "provider"), ("x", "context")])
def test_fault_in_the_block_of_a_context_provider_is_told_at_once(tmp_path, program, kind):
    """Before anything is started."""
    assert read(tmp_path, KEYLESS.format(program, kind)) == 'agent.hcl:5: env("NOPE"): this variable is not set'


def test_byte_order_mark_is_no_error(tmp_path):
    """Editors on Windows write one."""
    assert read(tmp_path, "\ufeffrequired_providers {\n}\n").declarations == ()


BAD = {
    "unknown block": ('\n\nresource "a" {\n}\n', "agent.hcl:3: unknown block 'resource'; accepted are required_providers, provider, context, policy, agent_profile, hook, settings"),
    "argument outside": ("a = 1\n", "agent.hcl:1: 'a' stands outside any block; accepted blocks are required_providers, provider, context, policy, agent_profile, hook, settings"),
    "undeclared": ('provider "x" {\n}\n', "agent.hcl:1: 'x' is not in required_providers; declared are none"),
    "no label": ("provider {\n}\n", 'agent.hcl:1: a provider block has one label, the local name: provider "claude-md" { … }'),
    "two blocks": ('required_providers {\n  x = { source = "s/context-x" }\n}\nprovider "x" {\n  a = 1\n}\ncontext "x" {\n}\n', "agent.hcl:7: 'x' has two blocks"),
    "two blocks, the first empty": ('required_providers {\n  x = { source = "s/context-x" }\n}\nprovider "x" {\n}\nprovider "x" {\n  a = 1\n}\n', "agent.hcl:6: 'x' has two blocks"),
    "labelled requirements": ('required_providers "x" {\n}\n', "agent.hcl:1: required_providers takes no label"),
    "version no string": ('required_providers {\n  x = { source = "s", version = 1 }\n}\n', "agent.hcl:2: 'x' takes a string, not 1"),
    "two environments": ('required_providers {\n  x = { source = "s" }\n}\nprovider "x" {\n  environment {\n  }\n  environment {\n  }\n}\n', "agent.hcl:7: 'x' has two environment blocks"),
    "block in environment": ('required_providers {\n  x = { source = "s" }\n}\nprovider "x" {\n  environment {\n    inner {\n    }\n  }\n}\n', "agent.hcl:6: unknown block 'inner'; environment takes arguments only"),
    "null byte": ('required_providers {\n  x = { source = "s" }\n}\nprovider "x" {\n  environment {\n    A = "b\\u0000"\n  }\n}\n', "agent.hcl:6: 'A' takes a string without null bytes"),
    "unknown escape": ('required_providers {\n  x = { source = "\\d" }\n}\n', r"agent.hcl:2: \d is no escape sequence; accepted are \n, \r, \t, \", \\, \uNNNN and \UNNNNNNNN"),
    "escape that is no character": ('required_providers {\n  x = { source = "\\UFFFFFFFF" }\n}\n', r"agent.hcl:2: \UFFFFFFFF is no escape sequence; accepted are \n, \r, \t, \", \\, \uNNNN and \UNNNNNNNN"),
    "endless number": (f"required_providers {{\n  x = {'9' * 5000}\n}}\n", 'agent.hcl:2: a number of this size is not accepted; accepted are literals, lists, objects and env("NAME")'),
    "nested without end": (f"required_providers {{\n  x = {'[' * 3000}{']' * 3000}\n}}\n", "agent.hcl: this is nested too deeply"),
    "blocks without end": ("a {\n" * 3000 + "}\n" * 3000, "agent.hcl: this is nested too deeply"),
    "single quotes": ("required_providers {\n  x = 'a'\n}\n", "agent.hcl:2: unexpected \"'a'\"; one argument a line, strings in double quotes"),
    "heredoc never closed": ("policy {\n  x = <<EOT\nhello\n}\n", "agent.hcl:2: unexpected '<<EOT'; a heredoc ends with a line that holds its marker alone"),
    "string over two lines": ('required_providers {\n  x = "a\n  b"\n}\n', "agent.hcl:2: a string ends on its own line; write \\n, or a heredoc"),
    "larger than any": ("#" * (1 << 20) + "\n", "agent.hcl: this file is larger than 1 MiB"),
    "inner block": ('required_providers {\n  x = { source = "s" }\n}\nprovider "x" {\n  inner {\n  }\n}\n', "agent.hcl:5: unknown block 'inner'; a provider block takes arguments and environment { … }"),
    "declared twice": ('required_providers {\n  x = { source = "s" }\n}\nrequired_providers {\n  x = { source = "s" }\n}\n', "agent.hcl:5: 'x' is declared twice, first at agent.hcl:2"),
    "no source": ('required_providers {\n  x = { version = "1" }\n}\n', "agent.hcl:2: 'x' needs an object such as { source = \"github.com/…\", version = \"~> 1.0\" }"),
    "source no string": ("required_providers {\n  x = { source = 1 }\n}\n", "agent.hcl:2: 'x' takes a string, not 1"),
    "set twice": ('required_providers {\n  x = { source = "s/context-x" }\n}\nprovider "x" {\n  a = 1\n  a = 2\n}\n', "agent.hcl:6: 'a' is set twice, first at agent.hcl:5"),
    "two arguments on a line": ('required_providers {\n  x = { source = "s/context-x" }\n}\nprovider "x" { a = 1 b = 2 }\n', "agent.hcl:4: HCL takes one argument or block a line"),
    "syntax": ("required_providers {\n  x = \n}\n", "agent.hcl:2: unexpected '}'; one argument a line, strings in double quotes"),
    "never closed": ('required_providers {\n  x = { source = "s" }\n', "agent.hcl:3: the file ends too early; one argument a line, strings in double quotes"),
    "computed": ("required_providers {\n  x = { source = a.b }\n}\n", 'agent.hcl:2: a computed value is not accepted; accepted are literals, lists, objects and env("NAME")'),
    "other function": ('required_providers {\n  x = upper("a")\n}\n', 'agent.hcl:2: a computed value is not accepted; accepted are literals, lists, objects and env("NAME")'),
    "unset variable": ('required_providers {\n  x = { source = env("NOPE") }\n}\n', 'agent.hcl:2: env("NOPE"): this variable is not set'),
    "environment value": ('required_providers {\n  x = { source = "s" }\n}\nprovider "x" {\n  environment {\n    A = 1\n  }\n}\n', "agent.hcl:6: 'A' takes a string, not 1"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), BAD.values(), ids=BAD)
def test_bad_file_is_one_sentence_with_file_and_line(tmp_path, text, sentence):
    """What is wrong, where, and what is accepted."""
    assert read(tmp_path, text) == sentence


def test_file_that_is_not_there_is_named(tmp_path):
    """The exit code says that an input cannot be used."""
    with pytest.raises(UnusableError, match=r"missing\.hcl: No such file or directory") as refusal:
        read_agent_hcl(tmp_path / "missing.hcl", {})
    assert refusal.value.exit_code == Exit.UNUSABLE


def test_file_that_is_not_text_is_named(tmp_path):
    """Bytes that are no UTF-8 are told with their place."""
    path = tmp_path / "agent.hcl"
    path.write_bytes(b"a = \xff")
    with pytest.raises(UnusableError, match=r"agent\.hcl: byte 4 is not UTF-8"):
        read_agent_hcl(path, {})


STRINGS = {
    '"a\\n\\"b\\" \\u00e4"': 'a\n"b" ä',
    '"$${kept} %%{kept}"': "${kept} %{kept}",
    '"in ${env("STYLE")}!"': "in docs/style.md!",
    "<<EOT\nline one\n  line two\nEOT\n": "line one\n  line two\n",
    "<<-EOT\n    line one\n      line two\n    EOT\n": "line one\n  line two\n",
    "<<EOT\n\nEOT\n": "\n",
    "<<EOT\nEOT\n": "",
    "<<EOT\n  indented \n\n EOT\n": "  indented \n\n",
    "<<-EOT\n\tone\n\n\t\ttwo\n\tEOT\n": "one\n\n\ttwo\n",
    "<<EOT\n$${kept} %%{kept} \\d\nEOT\n": "${kept} %{kept} \\d\n",
    '"\\\\d\\U0001F600"': "\\d😀",
    '["a", ["b", -1.5e1], {"k" = true, j : null}]': ["a", ["b", -15.0], {"k": True, "j": None}],
    "(3)": 3,
}


@pytest.mark.parametrize(("source", "value"), STRINGS.items())
def test_literals_have_their_hcl_meaning(source, value):
    """Escapes, templates, heredocs, numbers and containers come out as HCL defines them."""
    assert read_value(source, "here", ENVIRONMENT) == value


WORDS = ["CLAUDE.md", "docs/a b.md", "**/*.md", "", "x[0]", "1+1", "1\nother = 2"]


@pytest.mark.parametrize("word", WORDS)
def test_bare_word_on_the_command_line_is_a_string(word):
    """Nobody should have to quote a file name twice in a shell."""
    assert read_value(word, "--set a.b", {}) == word


BROKEN = {
    '"open': '--set a.b: "open is no HCL value; accepted are literals, lists, objects and env("NAME")',
    "[1": '--set a.b: [1 is no HCL value; accepted are literals, lists, objects and env("NAME")',
    'env("NOPE")': '--set a.b:1: env("NOPE"): this variable is not set',
    "{a = b}": '--set a.b:1: a computed value is not accepted; accepted are literals, lists, objects and env("NAME")',
}


@pytest.mark.parametrize(("text", "sentence"), BROKEN.items())
def test_broken_expression_on_the_command_line_is_refused(text, sentence):
    """What begins like an expression is not taken for a word."""
    with pytest.raises(UnusableError) as refusal:
        read_value(text, "--set a.b", {})
    assert str(refusal.value) == sentence


def overrides(tmp_path, text):
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "config.hcl").write_text(text)
    return read_dev_overrides({"XDG_CONFIG_HOME": str(tmp_path)})


def test_developer_overrides_come_from_the_global_file(tmp_path):
    """A local name is mapped to the absolute path of an executable."""
    found = overrides(tmp_path, 'dev_overrides {\n  claude-md = "/opt/bin/context-claude-md"\n}\nother {\n}\n')
    assert {name: value.value for name, value in found.items()} == {"claude-md": "/opt/bin/context-claude-md"}


def test_developer_overrides_are_found_in_the_home_directory(tmp_path):
    """Without XDG_CONFIG_HOME the file lies below ~/.config."""
    (tmp_path / ".config" / "agent").mkdir(parents=True)
    (tmp_path / ".config" / "agent" / "config.hcl").write_text('dev_overrides {\n  a = "/x"\n}\n')
    assert list(read_dev_overrides({"HOME": str(tmp_path)})) == ["a"]


def test_relative_override_is_refused(tmp_path):
    """The host starts one absolute path."""
    with pytest.raises(
        UnusableError, match=r"config\.hcl:2: 'a' is 'bin/x'; accepted is the absolute path of an executable"
    ):
        overrides(tmp_path, 'dev_overrides {\n  a = "bin/x"\n}\n')


def test_no_global_file_means_no_overrides(tmp_path):
    """Most users have none."""
    assert read_dev_overrides({"XDG_CONFIG_HOME": str(tmp_path)}) == {}


def test_no_overrides_where_no_directory_can_be(tmp_path):
    """A plain file in the place of the directory is no error."""
    (tmp_path / "file").touch()
    assert read_dev_overrides({"XDG_CONFIG_HOME": str(tmp_path / "file")}) == {}


def test_global_file_that_cannot_be_looked_for_is_told():
    """Overrides that the user wrote must not be passed over in silence."""
    with pytest.raises(UnusableError, match=r"config\.hcl: File name too long$"):
        read_dev_overrides({"XDG_CONFIG_HOME": "/" + "x" * 5000})


def test_line_ends_of_other_systems_are_line_ends(tmp_path):
    """CRLF gives the same values as LF, in heredocs as well."""
    path = tmp_path / "agent.hcl"
    text = (
        'required_providers {\n  x = { source = "s/context-x" }\n}\nprovider "x" {\n  a = <<EOT\none\nEOT\n  b = 1\n}\n'
    )
    path.write_bytes(text.replace("\n", "\r\n").encode())
    arguments = read_agent_hcl(path, {}).declarations[0].arguments
    assert {name: given.value for name, given in arguments.items()} == {"a": "one\n", "b": 1}
    assert arguments["b"].where == f"{path}:8"
