"""The app, started from the command line: `attnviz app`, from an installed package as from a checkout."""

import argparse
import runpy
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

PORT = 8501
_PACKAGE = Path(__file__).parents[1]


def site() -> Path:
    """Return the folder of app.py, pages/ and their settings: within an installed package, above another."""
    installed = _PACKAGE / "site"
    return installed if installed.is_dir() else _PACKAGE.parent


def start(arguments: Sequence[str]) -> int:
    """Serve the app until it is stopped; return the exit status, 2 where it can't be served."""
    parser = argparse.ArgumentParser(prog="attnviz app", description="Starts the app and opens it in a browser.")
    parser.add_argument("--port", type=int, default=PORT, help=f"where it listens (default: {PORT})")
    parser.add_argument(
        "--address", default="localhost", help="who reaches it: 0.0.0.0 opens it to the network (default: localhost)"
    )
    parser.add_argument("--no-browser", action="store_true", help="open no browser")
    given = parser.parse_args(arguments)
    script = site() / "app.py"
    if not script.is_file() or find_spec("streamlit") is None:
        print('attnviz: the app needs more than the library: pip install "attnviz[app]"', file=sys.stderr)
        return 2
    settings = {"server.address": given.address, "server.port": given.port}
    if given.no_browser:
        settings["server.headless"] = "true"
    sys.argv = ["streamlit", "run", str(script), *(f"--{name}={value}" for name, value in settings.items())]
    try:
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    except SystemExit as ended:  # as Streamlit's own command ends
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    return 0
