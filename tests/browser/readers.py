"""Readers of the app: each has a browser tab of their own, and nothing may go wrong in it."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from playwright.sync_api import Browser

from tests.browser.playground import Playground

Reader = TypeVar("Reader", bound=Playground)


def readers(kind: type[Reader], chromium: Browser, server: str) -> Iterator[Callable[..., Reader]]:
    """Give a function that gives a new reader of this kind, at another server if told so, and check all at the end."""
    opened: list[Reader] = []

    def new(width: int = 1366, height: int = 900, at: str = server, **settings: Any) -> Reader:
        context = chromium.new_context(viewport={"width": width, "height": height}, **settings)
        opened.append(kind(context.new_page(), at))
        return opened[-1]

    yield new
    for reader in opened:
        reader.page.context.close()
    assert [reader.errors for reader in opened] == [[] for _ in opened], "errors in the browser's console"
    assert [reader.dialogs for reader in opened] == [[] for _ in opened], "a dialog opened: a text ran as a script"
