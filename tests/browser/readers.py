"""Readers of the app: each has their own browser tab, in which no error may occur."""

from collections.abc import Sequence
from typing import TypeVar

from playwright.sync_api import Browser, Page

from tests.browser.playground import Playground

Reader = TypeVar("Reader", bound=Playground)


class Tabs:
    """Tabs without any memory, each like another person's browser.

    They are used again, because a tab that has had the app before opens it in a third of the time.
    """

    def __init__(self, chromium: Browser, server: str) -> None:
        self._chromium, self.server = chromium, server
        self._empty = f"{server}/_stcore/health"  # a page on which the app's storage can be cleared
        self._free: dict[bool, list[Page]] = {False: [], True: []}

    def take(self, touched: bool) -> Page:
        free = self._free[touched]
        return free.pop() if free else self._chromium.new_context(has_touch=touched).new_page()

    def give_back(self, page: Page, touched: bool) -> None:
        context = page.context
        page.unroute_all(behavior="ignoreErrors")
        page.mouse.up()
        page.mouse.move(0, 0)
        page.goto(self._empty)
        page.evaluate("localStorage.clear(); sessionStorage.clear()")
        context.clear_cookies()
        context.clear_permissions()
        if page.evaluate("history.length") < 30:  # a browser keeps 50 entries, and tests count theirs
            self._free[touched].append(page)
        else:
            context.close()


class New:
    """A function that gives new readers a tab each, and a check that no error occurred in them."""

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs
        self._opened: list[tuple[Playground, bool]] = []

    def __call__(
        self, kind: type[Reader], width: int = 1366, height: int = 900, at: str = "", color_scheme: str = "light",
        permissions: Sequence[str] = (), *, touched: bool = False,
    ) -> Reader:  # fmt: skip
        """Return a reader of this kind, at the server `at`, if given, and with a touch screen if `touched`."""
        page = self._tabs.take(touched)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(  # resets what the last reader had
            color_scheme=color_scheme,  # type: ignore[arg-type]
            reduced_motion="no-preference",
            forced_colors="none",
        )
        page.context.grant_permissions(permissions)
        reader = kind(page, at or self._tabs.server)
        self._opened.append((reader, touched))
        return reader

    def end(self) -> None:
        readers = [reader for reader, _ in self._opened]
        for reader in readers:
            reader.leave()
        assert [reader.errors for reader in readers if reader.errors] == [], "errors in the browser's console"
        assert [reader.dialogs for reader in readers if reader.dialogs] == [], "a dialog opened: a text ran as a script"
        for reader, touched in self._opened:  # reached only if no error occurred
            if reader.changed:
                reader.page.context.close()
            else:
                self._tabs.give_back(reader.page, touched)
