"""Takes the README's pictures of the playground anew: `python -m tests.browser.screenshots`."""

import io
import sys
from typing import Any, Literal

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.browser.playground import Playground
from tests.browser.serving import ROOT, launched_chromium, running_server

PICTURES = ROOT / "docs"
WIDTH, HEIGHT = 1366, 900
MOST_BYTES = 150_000
# Attention that leans somewhere, numbers of both signs, a repeated word, and an edit.
SHOWN: dict[str, Any] = {"text": "the cat sat on the mat", "init": "normal", "edits": "w_q.0.1.0.9", "query": 1}


def take(browser: Browser, server: str, scheme: Literal["light", "dark"]) -> bytes:
    """Return a picture of the playground on a light or dark page, as a PNG of few colours."""
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme)
    playground = Playground(context.new_page(), server).open(view="board", **SHOWN)
    playground.says("W_q[0, 1]: ")
    playground.page.evaluate("document.fonts.ready")
    playground.page.wait_for_timeout(500)  # what fades in has done so
    taken = Image.open(io.BytesIO(playground.page.screenshot(animations="disabled")))
    context.close()
    small = io.BytesIO()
    # This way of choosing colours keeps those of the few pixels that say which matrix is Q, K and V.
    few = taken.convert("RGB").quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
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
