"""Build the API pages of what is public; `scripts/docs` runs this.

pdoc expands type aliases and shows the modules of constants. This script restores their names.
"""

import re
import sys
from pathlib import Path
from typing import get_origin

import pdoc
from pdoc import doc, doc_ast

import kriegbot
import referee
from kriegbot.kernels import jit, types

PAGES = (
    "referee",
    "kriegbot",
    "kriegbot.trees",
    "kriegbot.endgames",
    "kriegbot.environments.batch",
    "kriegbot.environments.spaces",
)
"""The public modules that need no extra but `docs`."""

without_module = doc._remove_collections_abc


def plain(text: str) -> str:
    """Remove the modules of well-known types from a part of a signature."""
    return without_module(text).replace("typing.", "")


public = {name: getattr(home, name) for home in (kriegbot, referee) for name in home.__all__}
hints = {plain(repr(value)): name for name, value in (vars(types) | public).items() if get_origin(value)}
constants = {repr(value): name for name, value in public.items() if isinstance(value, referee.RuleSet | referee.Limits)}
named = sorted((hints | constants).items(), key=lambda pair: len(pair[0]), reverse=True)


def readable(text: str) -> str:
    """Put the names of types and defaults into a part of a signature."""
    text = plain(text)
    for long, name in named:
        text = text.replace(long, name)
    return re.sub(r"numpy\.ndarray\[tuple\[Any, \.\.\.\], numpy\.dtype\[numpy\.(\w+)\]\]", r"NDArray[\1]", text)


doc._remove_collections_abc = readable
jit.Kernel.__repr__ = lambda kernel: kernel.function.__name__  # as a default
page = doc.Module.from_name("kriegbot")
for name, value in public.items():
    if isinstance(value, jit.Kernel):
        setattr(kriegbot, name, value.function)
for module in [module for name, module in sys.modules.items() if re.match("kriegbot|evaluators", name)]:
    docstrings = doc_ast.walk_tree(module).var_docstrings
    page._var_docstrings |= {name: text for name, text in docstrings.items() if vars(module)[name] is public.get(name)}

specs = [spec for name in PAGES for spec in (name, rf"!{name}\.")]
pdoc.render.configure(docformat="google")
pdoc.pdoc(*specs, output_directory=Path(sys.argv[1]))
