"""Takes the pictures of a state, at every size and in both themes, from one tab and one load of the page."""

import io
import time
from base64 import b64decode

from PIL import Image
from playwright.sync_api import CDPSession, Page

from tests.browser.pictures.keeping import LOOKS, Look
from tests.browser.pictures.states import Sitter, State

_PAUSE = 0.3  # seconds between two pictures
_SAME = 4  # successive pictures that have to be the same
_MOST_PAUSES = 40

# Nothing blinks or moves, and the foot, which names another commit each day, is hidden. The bar is painted separately
# from the page: if the theme changes while a run is drawn, Chromium would not repaint a strip at the bar's lower edge,
# in one of ten pictures.
STILL = """
  .stAppHeader { opacity: 0.999; }
  .st-key-foot { display: none !important; }
  :root { caret-color: transparent; }
  *, ::before, ::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; }
"""


class Sitting:
    """A state of a page whose pictures are taken."""

    def __init__(self, state: State, sitter: Sitter) -> None:
        self.state, self.sitter = state, sitter
        self.page: Page = sitter.page
        self._camera: CDPSession = self.page.context.new_cdp_session(self.page)

    def open(self) -> None:
        """Open the page and bring it into its state."""
        self.pose(LOOKS[0])
        self.sitter.go(self.state.path, **self.state.address)
        self.page.add_style_tag(content=STILL)
        self._wait()
        self.state.do(self.sitter)
        self.page.mouse.move(2, 2)  # nothing is pointed at

    def _wait(self) -> None:
        self.page.locator(self.state.ready).first.wait_for()
        self.sitter.settle()
        self.page.evaluate("document.fonts.ready.then(() => {})")

    def pose(self, look: Look) -> None:
        self.page.emulate_media(color_scheme=look.scheme, reduced_motion="reduce")
        self.page.set_viewport_size({"width": look.width, "height": look.height})

    def taken(self) -> Image.Image:
        """Take a picture of what the screen shows."""
        # Chromium's own command is faster than Playwright's, which waits, and compresses more.
        told = self._camera.send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
        return Image.open(io.BytesIO(b64decode(told["data"]))).convert("RGB")

    def still(self) -> Image.Image:
        """Return a picture once several in a row are the same, as a busy machine paints a page bit by bit."""
        taken = [self.taken()]
        for _ in range(_MOST_PAUSES):
            time.sleep(_PAUSE)
            now = self.taken()
            taken = [*taken, now] if now == taken[0] else [now]
            if len(taken) == _SAME:
                return now
        raise RuntimeError(f"{self.state.name} does not stand still")

    def leave(self) -> None:
        self._camera.detach()
        self.page.emulate_media(reduced_motion="null")
