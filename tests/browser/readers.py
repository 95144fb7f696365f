"""Readers of the app: each has a browser tab of their own, and nothing may go wrong in it."""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, TypeVar

from playwright.sync_api import Browser, Page

from tests.browser.playground import Playground

Reader = TypeVar("Reader", bound=Playground)


class Tabs:
    """Tabs that nothing is remembered in, each as alone as another person's browser.

    They are used again: a tab that has had the app before opens it in a third of the time.
    """

    def __init__(self, chromium: Browser, server: str, *, touched: bool = False) -> None:
        self._chromium, self._touched = chromium, touched
        self._empty = f"{server}/_stcore/health"  # where the app's storage can be reached
        self._free: list[Page] = []

    def take(self) -> Page:
        return self._free.pop() if self._free else self._chromium.new_context(has_touch=self._touched).new_page()

    def give_back(self, page: Page) -> None:
        context = page.context
        page.unroute_all(behavior="ignoreErrors")
        page.mouse.up()
        page.mouse.move(0, 0)
        page.goto(self._empty)
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
        context.clear_cookies()
        context.clear_permissions()
        self._free.append(page)


def readers(
    kind: type[Reader], tabs: Tabs, server: str, size: tuple[int, int] = (1366, 900)
) -> Iterator[Callable[..., Reader]]:
    """Give a function that gives a new reader of this kind, at another server if told so, and check all at the end."""
    opened: list[Reader] = []

    def new(
        width: int = size[0],
        height: int = size[1],
        at: str = server,
        color_scheme: Literal["light", "dark"] = "light",
        permissions: Sequence[str] = (),
    ) -> Reader:
        page = tabs.take()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(  # whatever the last reader had
            color_scheme=color_scheme, reduced_motion="no-preference", forced_colors="none"
        )
        page.context.grant_permissions(permissions)
        opened.append(kind(page, at))
        return opened[-1]

    yield new
    for reader in opened:
        reader.leave()
    assert [reader.errors for reader in opened] == [[] for _ in opened], "errors in the browser's console"
    assert [reader.dialogs for reader in opened] == [[] for _ in opened], "a dialog opened: a text ran as a script"
    for reader in opened:  # only those in which nothing went wrong
        tabs.give_back(reader.page)
