"""The models that a server offers, by the short names that its visitors see: none learns where its folders are."""

import os
from collections.abc import Mapping
from functools import cache
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from attnviz.models.included import INCLUDED

_FETCHED, _SNAPSHOTS = "models--", "snapshots"  # how folders of fetched models begin, and what in them has the versions


@cache
def offered() -> Mapping[str, str]:
    """Return the models that a server offers by their short names, each with what it's loaded by: the one that comes
    along, and those that whoever runs it named in ATTNVIZ_MODELS, with commas between them.

    A folder is called by its last part, or by the model that it is a snapshot of, and numbered where something else is
    called so already.
    """
    given = (name.strip() for name in os.environ.get("ATTNVIZ_MODELS", "").split(","))
    named = dict.fromkeys((INCLUDED, *filter(None, given)))
    folders = {name for name in named if name != INCLUDED and is_folder(name)}
    taken, found = set(named) - folders, {}
    for name in named:
        called = _free(short_name(name), taken) if name in folders else name
        taken.add(called)
        found[called] = name
    return MappingProxyType(found)


def short_of(name: str) -> str | None:
    """Return the short name of a model that is offered, by this or by what it's loaded by, as older links have it; None
    for any other."""
    if name in offered():
        return name
    return next((short for short, loaded in offered().items() if loaded == name), None)


def is_folder(name: str) -> bool:
    """Whether a model is named by a folder; if not, by a name that transformers knows."""
    return bool(name) and (Path(name).is_dir() or Path(name).is_absolute() or name.startswith((".", "~")))


def short_name(name: str) -> str:
    """Return what a model is called: of a folder its last part, for the rest tells where somebody keeps files; of a
    snapshot of Hugging Face's, whose last part is a checksum, the model's name.

    >>> short_name("/models/llama/"), short_name("openai-community/gpt2")
    ('llama', 'openai-community/gpt2')
    >>> short_name("/cache/models--openai-community--gpt2/snapshots/607a30d7")
    'openai-community/gpt2'
    """
    if not is_folder(name):
        return name
    snapshot = snapshot_of(name)
    return snapshot.name if snapshot else Path(os.path.abspath(name)).name or name


class Snapshot(NamedTuple):
    """A version of a model, by the name that transformers knows."""

    name: str
    version: str


def snapshot_of(folder: str) -> Snapshot | None:
    """Return what a folder is a snapshot of, where it stands as Hugging Face's files do once they are fetched."""
    kept, snapshots, version = ("", "", "", *Path(os.path.abspath(folder)).parts)[-3:]
    if snapshots != _SNAPSHOTS or not kept.startswith(_FETCHED):
        return None
    return Snapshot(kept.removeprefix(_FETCHED).replace("--", "/"), version)  # no name has "--" itself


def _free(name: str, taken: set[str]) -> str:
    numbered = (name if i == 1 else f"{name} ({i})" for i in count(1))
    return next(each for each in numbered if each not in taken)
