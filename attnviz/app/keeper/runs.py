"""Each run of a page, counted and timed; one that takes long stands in the log."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import streamlit as st

from attnviz.app.keeper import figures
from attnviz.app.keeper.clock import RunTooLongError
from attnviz.app.keeper.lane import in_turn
from attnviz.app.keeper.logs import get_log
from attnviz.app.text import as_message
from attnviz.words import say

_LOG = get_log(__name__)
_LONG = 5.0  # seconds
ENDED, ANEW, FAILED = "ended", "anew", "failed"


@dataclass
class Run:
    """A run, which knows its page as soon as that is chosen."""

    page: str = "none"


@contextmanager
def watched_run() -> Iterator[Run]:
    """Count and time what is run within; whatever is raised passes through. Of a run that took too long, the page says
    so."""
    run, how, start = Run(), ANEW, time.perf_counter()
    try:
        with in_turn():
            yield run
        how = ENDED
    except RunTooLongError:
        how = FAILED
        st.error(as_message(say("app.too_long")))
    except Exception:
        how = FAILED
        raise
    finally:  # by way of what is no Exception, a run that ends to begin anew, or since its reader has gone
        seconds = time.perf_counter() - start
        figures.RUNS.labels(run.page, how).inc()
        figures.RUN_SECONDS.labels(run.page).observe(seconds)
        if seconds > _LONG:
            told = {"page": run.page, "how": how, "seconds": round(seconds, 2)}
            _LOG.warning("a run took long", extra={"told": told})
