"""What tests of looks measure: colours, and what of a page is seen, counted and boxed in one way."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from playwright.sync_api import Page

# At most so many controls and words of each page when it is first seen, by its name and how wide the window is; of
# another width as many as at 1366.
MOST: Mapping[tuple[str, int], tuple[int, int]] = MappingProxyType({
    ("explore", 1366): (20, 60), ("explore", 390): (16, 44), ("question", 1366): (16, 75),
    ("answered", 1366): (16, 100), ("learn", 1366): (20, 80), ("model", 1366): (28, 125),
})  # fmt: skip
# Where the last of its parts ends at 1366.
LOWEST: Mapping[str, int] = MappingProxyType({"learn": 694, "model": 722})

# What can be pressed, moved or typed into on the first screen, the bar's own included: a grid of pictures and a matrix
# are one each by their arrow keys, and stand beside the count. Words are those outside of matrices and figures, whose
# rows' and columns' names are theirs, and of the version at the foot.
_LOOK = """() => {
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? [])];
  const all = selector => roots.flatMap(root => [...root.querySelectorAll(selector)]);
  const above = each => each.assignedSlot ?? each.parentElement ?? each.getRootNode().host ?? null;
  const within = (each, selector) => {
    for (let at = each; at; at = above(at)) if (at.matches(selector)) return true;
    return false;
  };
  const shown = each => each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const cut = (each, { left, right, top, bottom }) => { // what is cut isn't seen
    for (let at = each; at; at = above(at)) {
      if (getComputedStyle(at).overflow === 'visible') continue;
      const box = at.getBoundingClientRect();
      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, right, top, bottom };
  };
  const onScreen = ({ left, right, top, bottom }) =>
    right - left > 1 && bottom - top > 4 && right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
  const kinds = 'a[href], button, input, select, textarea, summary, [role=slider], [role=radio], [role=switch]';
  const notOurs = '[data-testid=stMainMenu], [data-testid=stMainMenuButton], [data-testid=stToolbar] .stMainMenu';
  const controls = all(kinds).filter(each => shown(each) && !each.disabled && !within(each, notOurs)
    && !(each.tabIndex < 0 && within(each, '.heads, [role=menu]')) && !within(each, '.cell, td, [inert]')
    && !each.matches('.plain > details > summary') // a summary of nothing
    && !(each.parentElement && within(each.parentElement, kinds))
    && onScreen(cut(each.parentElement ?? each, each.getBoundingClientRect())));
  const matrices = 'table, [role=grid], .board .story, .cell, .matrix, .symbol-of, .name, .names, .columns, .share,'
    + ' .op, .legend, .ticks, svg, .js-plotly-plot, [data-testid=stDataFrame]';
  const scrolls = /auto|scroll/;
  const hidden = (parent, box) => { // by what doesn't scroll, and says nothing of it
    for (let at = parent; at; at = above(at)) {
      const { overflowX, overflowY, textOverflow } = getComputedStyle(at);
      if (scrolls.test(overflowX + overflowY) || textOverflow === 'ellipsis' || at.matches('.cell')) return false;
      if (overflowX === 'visible') continue;
      const { left, right, top, bottom } = at.getBoundingClientRect();
      if (box.left < left - 2 || box.right > right + 2 || box.top < top - 6 || box.bottom > bottom + 6) return true;
    }
    return false;
  };
  const texts = [], words = [], parts = [], small = [];
  for (const root of roots) {
    const walker = document.createTreeWalker(root === document ? document.body : root, NodeFilter.SHOW_TEXT);
    for (let n = 0; walker.nextNode(); n++) {
      const { parentElement: parent, data } = walker.currentNode;
      if (!data.trim() || !parent || parent.closest('style, script, option, noscript, .js-plotly-plot')) continue;
      if (!shown(parent) || within(parent, `${notOurs}, .sr-only, .st-key-foot`)) continue;
      if (within(parent, '[data-testid=stIconMaterial], [data-testid=stTooltipIcon]')) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const whole = [...range.getClientRects()];
      if (whole.some(each => onScreen(cut(parent, each)) && hidden(parent, each))) parts.push(data.trim());
      const boxes = whole.map(each => cut(parent, each)).filter(onScreen);
      if (!boxes.length) continue;
      if (parseFloat(getComputedStyle(parent).fontSize) < 11.9) small.push(data.trim());
      const of = `${roots.indexOf(root)}.${n}`;
      const floats = within(parent, '.panel, .stAppHeader, .st-key-name, .st-key-top_bar, .st-key-what_if');
      for (const box of boxes) { // letters end within their line
        const trim = Math.max(2, 0.12 * (box.bottom - box.top));
        texts.push({ text: data.trim(), of, floats, ...box, top: box.top + trim, bottom: box.bottom - trim });
      }
      if (!within(parent, matrices)) words.push(...data.split(/\\s+/).filter(each => /\\p{L}/u.test(each)));
    }
  }
  const covered = all('.cell').filter(cell => {
    const box = cell.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const sees = shown(cell) && onScreen(cut(cell.parentElement, box));
    const over = sees ? cell.getRootNode().elementsFromPoint(x, y) : [];
    const rest = over.slice(0, Math.max(0, over.indexOf(cell)));
    return rest.some(each => !each.matches('.panel, .panel *'));
  }).map(cell => cell.dataset.at);
  const lies = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom
    && other.top < one.bottom;
  const seen = selector => all(selector).filter(shown).map(each => each.getBoundingClientRect());
  if (seen('.status').some(one => seen('.views button').some(other => lies(one, other)))) covered.push('status');
  const main = document.querySelector('[data-testid=stMain]');
  return {
    controls: controls.map(each => each.getAttribute('aria-label') || each.innerText || each.value || each.tagName),
    words, texts, cut: parts, covered, small,
    down: main.scrollHeight - main.clientHeight, sideways: main.scrollWidth - main.clientWidth,
  };
}"""


# Every text with a digit in it that can be scrolled to, by how large it is on the screen: the smallest first.
_DIGITS = r"""() => {
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? [])];
  const found = [];
  for (const root of roots) {
    const walker = document.createTreeWalker(root === document ? document.body : root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement: parent, data } = walker.currentNode;
      if (!parent || !/\d/.test(data) || parent.closest('style, script, option, noscript, .sr-only')) continue;
      if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      if (range.getBoundingClientRect().width < 2) continue;
      found.push([parseFloat(getComputedStyle(parent).fontSize) * parent.currentCSSZoom, data.trim()]);
    }
  }
  return found.sort(([one], [other]) => one - other);
}"""


@dataclass(frozen=True)
class Look:
    """What of a page is seen without a scroll."""

    controls: list[str]
    words: list[str]
    texts: list[dict[str, Any]]
    cut: list[str]  # texts that end at an edge, with no sign that they go on
    covered: list[str]  # cells over whose digits something lies, and what tells of torch
    small: list[str]  # texts whose letters have less than 12 pixels
    down: int  # how many pixels of it a scroll would bring
    sideways: int

    @property
    def over(self) -> list[str]:
        """The texts that lie on each other; what the page is scrolled under covers what it may."""
        found = []
        for at, one in enumerate(self.texts):
            for other in self.texts[at + 1 :]:
                across = min(one["right"], other["right"]) - max(one["left"], other["left"])
                down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
                if one["of"] != other["of"] and one["floats"] == other["floats"] and across > 1 and down > 1:
                    found.append(f"{one['text']} | {other['text']}")
        return found

    @property
    def trouble(self) -> dict[str, Any]:
        """What no page may have, in any window."""
        found = {"over": self.over, "cut": self.cut, "covered": self.covered, "small": self.small}
        found |= {"sideways": ["page"] * (self.sideways > 0)}
        return {what: each for what, each in found.items() if each}

    def more_than(self, page: str, width: int, controls: int = 0) -> list[str]:
        """What it has too much of; so many controls more may be words to pick."""
        most_controls, most_words = MOST.get((page, width), MOST[page, 1366])
        return [
            f"{len(found)} {what}, at most {most}: {found}"
            for what, found, most in (
                ("controls", self.controls, most_controls + controls), ("words", self.words, most_words)
            )
            if len(found) > most
        ]  # fmt: skip


def look_at(page: Page) -> Look:
    """Return what of a page is seen now."""
    return Look(**page.evaluate(_LOOK))


def digits_below(page: Page, pixels: float) -> list[str]:
    """Return the texts with digits on a page whose letters are smaller than so many pixels."""
    return [f"{size:.1f} px: {text}" for size, text in page.evaluate(_DIGITS) if size < pixels]


def contrast(one: list[int], other: list[int]) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: list[int]) -> float:
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
