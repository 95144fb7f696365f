"""The database of classes, from the environment; invalid ones stop the start."""

import os
from collections.abc import Mapping
from pathlib import Path

from attnviz.features.classes.tables import check_address

DATABASE = "ATTNVIZ_DATABASE"


def database(environment: Mapping[str, str] = os.environ) -> str:
    """Return the database's address, by default a local file; blank for none."""
    given = environment.get(DATABASE, "").strip()
    if given == "off":
        return ""
    folder = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    address = given or f"sqlite:///{Path(folder) / 'attnviz' / 'classes.sqlite'}"
    check_address(address, DATABASE)
    return address
