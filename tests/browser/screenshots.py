"""Takes new pictures of the playground for the README: `python -m tests.browser.screenshots`."""

import io
import sys
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.browser.board import Board, Place
from tests.browser.serving import ROOT, launched_chromium, running_server

PICTURES = ROOT / "docs"
WIDTH, HEIGHT = 1366, 690
MOST_BYTES = 100_000
# What a bare address opens, without the hints of a first visit; and the cell pointed at.
SHOWN: dict[str, Any] = {"example": "fluffy-cat", "query": 1}
POINTED_AT: Place = ("scores", 1, 2)


def take(browser: Browser, server: str, scheme: Literal["light", "dark"]) -> bytes:
    """Return a picture of the playground on a light or dark page, as a PNG of few colours."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
    board = Board(context.new_page(), server).open_board(**SHOWN).torch_says()
    board.point_at(POINTED_AT)
    board.page.evaluate("document.fonts.ready.then(() => {})")
    board.page.wait_for_timeout(500)  # fades end within this time
    taken = Image.open(io.BytesIO(board.page.screenshot(animations="disabled")))
    context.close()
    small = io.BytesIO()
    # With this choice of colours, no colour is off by more than 8 of 255, so that pale cells keep their hue.
    few = taken.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(small, "PNG", optimize=True)
    return small.getvalue()


def main() -> int:
    PICTURES.mkdir(exist_ok=True)
    with running_server() as server, sync_playwright() as playwright:
        browser = launched_chromium(playwright)
        for scheme in ("light", "dark"):
            picture = take(browser, server, scheme)
            path = PICTURES / f"playground-{scheme}.png"
            path.write_bytes(picture)
            print(f"{path.relative_to(ROOT)}: {len(picture) / 1000:.0f} kB")
            if len(picture) > MOST_BYTES:
                print(f"more than {MOST_BYTES / 1000:.0f} kB, too large for a README", file=sys.stderr)
                return 1
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
