"""Waiting while Streamlit shows an element twice: at its new place and, until the run ends, at the old one.

Playwright waits for an element that isn't there yet, but gives up at once if there are two. So tests failed on a busy
machine, where runs take long.
"""

import inspect
import time
from collections.abc import Callable
from functools import wraps
from typing import Any

from playwright.sync_api import Error, Locator
from playwright.sync_api._generated import LocatorAssertions

_TWO = "strict mode violation"  # Playwright's message; it hasn't done or read anything yet at that time


def wait_for_one(seconds: float) -> None:
    """Let each action and assertion on an element wait until there is only one."""
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
