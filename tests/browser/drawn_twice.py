"""Waits where Streamlit draws one thing twice: at its new place, while the old one stands until the run ends.

Playwright waits for an element that isn't there yet, but gives up at once where two are: so tests failed on a busy
machine, on which a run takes its time.
"""

import inspect
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from playwright.sync_api import Error, Locator
from playwright.sync_api._generated import LocatorAssertions

_TWO = "strict mode violation"  # Playwright's words; it hasn't done or read anything yet when it says so


def wait_for_one(seconds: float) -> None:
    """Let what is done with one element, and said of one, wait until only one is there."""
    for kind in (Locator, LocatorAssertions):
        for name, act in inspect.getmembers(kind, inspect.isfunction):
            if not name.startswith("_"):
                setattr(kind, name, once_alone(act, seconds))


def once_alone(act: Callable[..., Any], seconds: float) -> Callable[..., Any]:
    @wraps(act)
    def waits(*arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        deadline = time.monotonic() + seconds
        while True:
            try:
                return act(*arguments, **options)
            except (Error, AssertionError) as error:
                if _TWO not in str(error) or time.monotonic() > deadline:
                    raise
            time.sleep(0.05)

    return waits
