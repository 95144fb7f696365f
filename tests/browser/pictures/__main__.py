"""Takes new pictures of pages: `python -m tests.browser.pictures [STATE ...]`.

A sheet without any strayed pixels isn't rewritten. The pictures in full size are put into test-results/pictures/.
"""

import argparse
import sys

from playwright.sync_api import sync_playwright

from tests.browser.pictures.comparing import is_alike
from tests.browser.pictures.keeping import KEPT, LOOKS, MOST_BYTES, RESULTS, Pictures, keep, kept, path_of
from tests.browser.pictures.states import STATES, Sitter, State
from tests.browser.pictures.taking import Sitting
from tests.browser.serving import ROOT, launched_chromium, running_server


def take(sitting: Sitting) -> Pictures:
    """Return a picture of each look, once it stands still."""
    pictures = {}
    for look in LOOKS:
        sitting.pose(look)
        pictures[look] = sitting.still()
    return pictures


def main() -> int:
    names = [state.name for state in STATES]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("states", nargs="*", metavar="STATE", help=f"one of {', '.join(names)}; all, where none is")
    asked = parser.parse_args().states
    if unknown := set(asked) - set(names):
        parser.error(f"no such state: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
    with running_server() as server, sync_playwright() as playwright:
        chromium = launched_chromium(playwright)
        for state in STATES:
            if not asked or state.name in asked:
                tab = chromium.new_context().new_page()
                _renew(state, Sitting(state, Sitter(tab, server)))
                tab.context.close()
        chromium.close()
    for path in set(KEPT.glob("*")) - {path_of(name) for name in names}:
        path.unlink()
        print(f"{path.relative_to(ROOT)} removed: there is no such state")
    total = sum(path.stat().st_size for path in KEPT.glob("*"))
    print(f"{total / 1000:.0f} kB, of {MOST_BYTES / 1000:.0f} at most")
    return int(total > MOST_BYTES)


def _renew(state: State, sitting: Sitting) -> None:
    sitting.open()
    pictures, before = take(sitting), kept(state.name)
    where = RESULTS / state.name
    where.mkdir(parents=True, exist_ok=True)
    for look, picture in pictures.items():
        picture.save(where / f"{look}.png")
    changed = [look for look in LOOKS if look not in before or not is_alike(before[look], pictures[look])]
    if changed:
        size = keep(state.name, pictures)
        print(f"{path_of(state.name).relative_to(ROOT)}: {size / 1000:.0f} kB, new: {', '.join(map(str, changed))}")
    else:
        print(f"{path_of(state.name).relative_to(ROOT)}: as before")


if __name__ == "__main__":
    sys.exit(main())
