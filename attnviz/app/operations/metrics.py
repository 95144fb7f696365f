"""The server's metrics in Prometheus format: readers, load and times.

They are always counted, at a microsecond each, and published with ATTNVIZ_METRICS=1. They identify nobody: they hold
neither what was typed nor by which session.
"""

import os
import subprocess
from functools import cache
from pathlib import Path

import torch
from prometheus_client import REGISTRY, Counter, Gauge, Histogram, Info, generate_latest

from attnviz import __version__

_COMMIT = "ATTNVIZ_COMMIT"
_CHECKOUT = Path(__file__).parents[3]
_SHOWN = 9  # characters shown of a commit


@cache
def commit() -> str:
    """Return the commit of the image or checkout; blank if unknown.

    The app may be installed somewhere inside another project's checkout, so only a checkout of this very folder counts.
    """
    told = os.environ.get(_COMMIT, "")
    if not told and (_CHECKOUT / ".git").exists():
        ask = ["git", "-C", str(_CHECKOUT), "rev-parse", "HEAD"]
        try:
            told = subprocess.run(ask, capture_output=True, text=True, timeout=5, check=True).stdout.strip()
        except (OSError, subprocess.SubprocessError):
            return ""
    return told[:_SHOWN]


def version() -> str:
    """Return the version, with the commit where it is known: `0.1.0 (3a6354b07)`."""
    return f"{__version__} ({commit()})" if commit() else __version__


def torch_version() -> str:
    """Return torch's version, which names the hardware it was built for."""
    return str(torch.__version__)


# A change should be answered within a tenth of a second; a large sweep takes minutes.
_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120)

SESSIONS = Gauge("attnviz_sessions", "Pages that are open now")
OPENED = Counter("attnviz_sessions_opened", "Pages that have been opened, or have come back")
TURNED_AWAY = Counter("attnviz_sessions_turned_away", "Pages that were turned away", ["why"])
RUNS = Counter("attnviz_runs", "Runs of a page: ended, cut short to run anew, or failed", ["page", "how"])
EDITS = Counter("attnviz_edits_at_once", "Boards that were told their numbers without a run of their page")
RUN_SECONDS = Histogram("attnviz_run_seconds", "Seconds that a run of a page took", ["page"], buckets=_SECONDS)
ENDED_LATE = Counter("attnviz_runs_ended_late", "Runs that took too long and were ended")
REFUSED_LINKS = Counter("attnviz_refused_links", "Links of which some part could not be used")
HELD_BACK = Counter("attnviz_messages_held_back", "Messages that waited since their sender sent too many")
LEFT_OUT = Counter("attnviz_messages_left_out", "Messages that no page of a reader sends")
SWEEPS = Gauge("attnviz_sweeps_in_line", "Large sweeps that run or wait for their turn")
TRAININGS = Gauge("attnviz_trainings_in_line", "Trainings that run or wait for their turn")
Info("attnviz_build", "What is running").info({"version": __version__, "commit": commit(), "torch": torch_version()})


def metrics_text() -> bytes:
    """Return all metrics in Prometheus format, with the process's memory and time."""
    return generate_latest(REGISTRY)
