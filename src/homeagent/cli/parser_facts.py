"""The commands about facts and documents, as argparse wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from homeagent.cli.parser import Commands, Parser

__all__ = ["add_documents", "add_facts"]


def add_facts(commands: Commands) -> None:
    """Add ``facts``, ``commit``, ``edit``, ``merge``, ``unmerge`` and ``purge``."""
    facts = commands.add("facts", "facts:facts")
    words = facts.words
    facts.options.add_argument("--about", metavar="NAME", help=words("option_about"))
    facts.options.add_argument("--relation", metavar="R", help=words("option_relation"))
    facts.options.add_argument("--at", metavar="TIME", help=words("option_facts_at"))
    facts.options.add_argument("--all", action="store_true", help=words("option_all_facts"))
    _viewer(facts)
    commit = commands.add("commit", "facts_writing:commit")
    for name in ("subject", "relation", "value"):
        commit.arguments.add_argument(name, metavar=name.upper(), help=words(f"argument_fact_{name}"))
    edit = commands.add("edit", "facts_writing:edit")
    edit.arguments.add_argument("fact", metavar="FACT", help=words("argument_fact"))
    edit.arguments.add_argument("value", metavar="VALUE", nargs="?", help=words("argument_right_value"))
    merge = commands.add("merge", "facts_writing:merge")
    merge.arguments.add_argument("into", metavar="NAME", nargs="?", help=words("argument_into"))
    merge.arguments.add_argument("other", metavar="OTHER", nargs="?", help=words("argument_other"))
    unmerge = commands.add("unmerge", "facts_writing:unmerge")
    unmerge.arguments.add_argument("merge", metavar="NUMBER", type=int, help=words("argument_merge"))
    purge = commands.add("purge", "facts_writing:purge")
    purge.arguments.add_argument("fact", metavar="FACT", help=words("argument_fact"))
    purge.options.add_argument("--undo", action="store_true", help=words("option_undo_purge"))


def add_documents(commands: Commands) -> None:
    """Add ``documents`` and ``document``."""
    documents = commands.add("documents", "documents:listed")
    words = documents.words
    documents.arguments.add_argument("text", metavar="TEXT", nargs="*", help=words("argument_documents"))
    documents.options.add_argument("--limit", type=int, metavar="N", default=20, help=words("option_documents"))
    _viewer(documents)
    document = commands.add("document", "documents:shown")
    document.arguments.add_argument("document", metavar="ID", help=words("argument_document"))
    document.options.add_argument("--text", action="store_true", help=words("option_text"))


def _viewer(parser: Parser) -> None:
    parser.options.add_argument("--as", dest="person", metavar="PERSON", help=parser.words("option_as"))
    parser.options.add_argument("--chat", default="main", help=parser.words("option_chat"))
    parser.options.add_argument("--channel", default="cli", metavar="CH", help=parser.words("option_channel"))
