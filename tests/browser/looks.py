"""Measurements for tests of looks: colours, and the visible controls, words and texts of a page."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from playwright.sync_api import Page

# (page, window width) -> (most controls, most words, lowest pixel of a text, or None if it may scroll), for pages as
# they open at 1366x768 and 390x844. PICKED says how many tokens to pick these controls include; more are allowed.
MOST: Mapping[tuple[str, int], tuple[int, int, int | None]] = MappingProxyType({
    ("explore", 1366): (21, 60, 704), ("explore", 390): (16, 44, None), ("question", 1366): (16, 75, 722),
    ("question", 390): (16, 75, None), ("answered", 1366): (16, 115, None), ("answered", 390): (16, 100, None),
    ("learn", 1366): (20, 80, 694), ("learn", 390): (20, 80, None), ("model", 1366): (28, 121, 722),
    ("model", 390): (28, 125, None), ("lesson-1", 1366): (16, 90, 768), ("lesson-1", 390): (16, 90, 844),
    ("lesson-3", 1366): (23, 193, None), ("lesson-3", 390): (21, 165, None), ("lesson-9", 1366): (24, 160, None),
    ("lesson-9", 390): (17, 131, None),
    ("compare", 1366): (16, 110, None), ("compare", 390): (16, 110, None), ("scaling", 1366): (12, 80, 722),
    ("scaling", 390): (8, 75, None), ("check", 1366): (20, 130, 722), ("check", 390): (16, 85, None),
    ("exercises", 1366): (18, 62, 722), ("exercises", 390): (16, 60, None), ("history", 1366): (18, 255, None),
    ("history", 390): (8, 105, None), ("heatmaps", 1366): (25, 135, None), ("heatmaps", 390): (22, 75, None),
    ("questions", 1366): (20, 285, None), ("questions", 390): (10, 170, None), ("twelve", 1366): (17, 90, None),
    ("twelve", 390): (5, 75, None),
})  # fmt: skip
PICKED: Mapping[str, int] = MappingProxyType({"model": 0, "twelve": 0, "question": 4, "answered": 4})

# Finds all that can be pressed, moved or typed into on the first screen, the bar included; grids of pictures and
# matrices, which are used with arrow keys, aren't counted. Words are counted outside of matrices and figures, without
# the version at the foot.
_LOOK = """() => {
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? [])];
  const all = selector => roots.flatMap(root => [...root.querySelectorAll(selector)]);
  const above = each => each.assignedSlot ?? each.parentElement ?? each.getRootNode().host ?? null;
  const once = (read, known = new Map()) => each => { // of an element, what was read before
    if (!known.has(each)) known.set(each, read(each));
    return known.get(each);
  };
  const asked = {};
  const within = (each, selector) => {
    asked[selector] ??= once(at => at !== null && (at.matches(selector) || asked[selector](above(at))));
    return asked[selector](each);
  };
  const shown = each => each.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const styleOf = once(each => {
    const { overflow, overflowX, overflowY, textOverflow, writingMode } = getComputedStyle(each);
    const upright = writingMode === 'vertical-rl';
    return { overflow, overflowX, scrolls: /auto|scroll/.test(overflowX + overflowY), textOverflow, upright };
  });
  const boxOf = once(each => each.getBoundingClientRect());
  const both = (one, other) => ({
    left: Math.max(one.left, other.left), right: Math.min(one.right, other.right),
    top: Math.max(one.top, other.top), bottom: Math.min(one.bottom, other.bottom),
  });
  const everything = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity };
  const seenOf = once(each => { // what is cut isn't seen
    if (each === null) return everything;
    return styleOf(each).overflow === 'visible' ? seenOf(above(each)) : both(seenOf(above(each)), boxOf(each));
  });
  const cut = (each, box) => both(seenOf(each), box);
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
    + ' .op, .legend, .ticks, svg, figure .plot, .js-plotly-plot, .pictures figure, [data-testid=stDataFrame],'
    + ' .row-bars figure';
  const hidden = (parent, box) => { // by what doesn't scroll, and says nothing of it
    for (let at = parent; at; at = above(at)) {
      const { overflowX, scrolls, textOverflow } = styleOf(at);
      if (scrolls || textOverflow === 'ellipsis' || at.matches('.cell')) return false;
      if (overflowX === 'visible') continue;
      const { left, right, top, bottom } = boxOf(at);
      if (box.left < left - 2 || box.right > right + 2 || box.top < top - 6 || box.bottom > bottom + 6) return true;
    }
    return false;
  };
  // What the page is scrolled under.
  const floating = '.panel, .stAppHeader, .st-key-playground-what_if, [data-testid=stLayoutWrapper]'
    + ':has(> :is(.st-key-name, .st-key-top_bar, .st-key-picked_cell))';
  const stuck = all('.sentence').filter(each => getComputedStyle(each).position === 'sticky');
  const texts = [], words = [], parts = [], small = [];
  for (const root of roots) {
    const walker = document.createTreeWalker(root === document ? document.body : root, NodeFilter.SHOW_TEXT);
    for (let n = 0; walker.nextNode(); n++) {
      const { parentElement: parent, data } = walker.currentNode;
      if (!data.trim() || !parent || parent.closest('style, script, option, noscript')) continue;
      if (!shown(parent) || within(parent, `${notOurs}, .sr-only, .st-key-foot`)) continue;
      if (within(parent, '[data-testid=stIconMaterial], [data-testid=stTooltipIcon]')) continue;
      const range = document.createRange();
      range.selectNodeContents(walker.currentNode);
      const whole = [...range.getClientRects()];
      if (whole.some(each => onScreen(cut(parent, each)) && hidden(parent, each))) parts.push(data.trim());
      const boxes = whole.map(each => cut(parent, each)).filter(onScreen);
      if (!boxes.length) continue;
      const power = parent.matches('.js-plotly-plot tspan'); // of ten, at an axis
      if (parseFloat(getComputedStyle(parent).fontSize) < 11.9 && !power) small.push(data.trim());
      const of = `${roots.indexOf(root)}.${n}`;
      const floats = within(parent, floating) || stuck.some(each => each.contains(parent));
      for (const box of boxes) { // letters end within their line
        const [from, to] = styleOf(parent).upright ? ['left', 'right'] : ['top', 'bottom'];
        const trim = Math.max(2, 0.12 * (box[to] - box[from]));
        texts.push({ text: data.trim(), of, floats, ...box, [from]: box[from] + trim, [to]: box[to] - trim });
      }
      if (!within(parent, matrices)) words.push(...data.split(/\\s+/).filter(each => /\\p{L}/u.test(each)));
    }
  }
  for (const says of all('.says').filter(shown)) // what fits doesn't fade
    if (getComputedStyle(says).maskImage !== 'none'
      && [...says.children].every(each => boxOf(each).bottom < boxOf(says).bottom + 6)) parts.push(says.innerText);
  const lies = (one, other) => one.left < other.right && other.left < one.right && one.top < other.bottom
    && other.top < one.bottom;
  const pointsOf = once(line => {
    const at = line.getScreenCTM(), n = Math.ceil(line.getTotalLength() / 4); // a point each 4 pixels
    return Array.from({ length: n }, (_, i) => line.getPointAtLength(4 * i).matrixTransform(at));
  });
  const lines = all('.flow path, .bands path').filter(shown);
  const through = [...lines, ...all('.ribbons path, .picked-row')]; // a pointer goes through these, and sees them now
  for (const each of through) each.style.pointerEvents = 'auto';
  const covered = all('.cell, td[data-value], figure .cells > span').filter(cell => {
    const box = boxOf(cell);
    if (!shown(cell) || !onScreen(cut(cell.parentElement, box))) return false;
    const middle = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
    const isIn = ({ x, y }) =>
      x > box.left + 2 && x < box.right - 2 && y > box.top + 2 && y < box.bottom - 2; // it may touch an edge
    const crossing = lines.flatMap(line => (lies(boxOf(line), box) ? pointsOf(line).filter(isIn).slice(0, 1) : []));
    return [middle, ...crossing].some(({ x, y }) => {
      if (cell.contains(cell.getRootNode().elementFromPoint(x, y))) return false; // as nearly always
      const over = cell.getRootNode().elementsFromPoint(x, y);
      const rest = over.slice(0, Math.max(0, over.indexOf(cell)));
      return rest.some(each => !cell.contains(each) && !each.matches('.dark .picked-row') && !within(each, floating)
        && !stuck.some(words => words.contains(each)));
    });
  }).map(cell => cell.dataset.at ?? cell.textContent);
  for (const each of through) each.style.pointerEvents = '';
  const seen = selector => all(selector).filter(shown).map(each => each.getBoundingClientRect());
  if (seen('.status').some(one => seen('.views button').some(other => lies(one, other)))) covered.push('status');
  const meet = (one, other) => one.of !== other.of && one.floats === other.floats
    && Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
  const over = texts.flatMap((one, at) => texts.slice(at + 1).filter(other => meet(one, other))
    .map(other => `${one.text} | ${other.text}`)); // what the page is scrolled under covers what it may
  const main = document.querySelector('[data-testid=stMain]');
  const out = all('.board .tools').filter(shown).map(each => boxOf(each).right - boxOf(each.closest('.board')).right);
  return JSON.stringify({ // which Playwright hands over far sooner than objects
    controls: controls.map(each => each.getAttribute('aria-label') || each.innerText || each.value || each.tagName),
    words, ends: texts.map(({ text, bottom }) => [text, bottom]), over, cut: parts, covered, small,
    chips: all('.chip').filter(shown).length, down: main.scrollHeight - main.clientHeight,
    sideways: Math.max(main.scrollWidth - main.clientWidth, ...out.map(Math.round)),
  });
}"""


# Finds what a reader with forced colours couldn't see on the first screen: which of several controls is on, which one
# has the focus, and where a slider's knob is.
BY_COLOUR = """() => {
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? [])];
  const all = selector => roots.flatMap(root => [...root.querySelectorAll(selector)])
    .filter(each => each.checkVisibility({ visibilityProperty: true }) && !each.disabled);
  const look = each => { // without what a reader's colours take away
    const { backgroundColor, outlineStyle, outlineWidth, outlineColor, borderTopWidth, borderBottomWidth, fontWeight }
      = getComputedStyle(each);
    const outline = outlineStyle === 'none' ? '' : outlineStyle + outlineWidth + outlineColor;
    return [backgroundColor, outline, borderTopWidth, borderBottomWidth, fontWeight].join();
  };
  const around = each => [each, each.parentElement, each.parentElement?.parentElement].filter(Boolean);
  const still = new CSSStyleSheet();
  still.replaceSync('* { transition: none !important; }');
  document.adoptedStyleSheets = [still];
  document.activeElement.blur();
  const found = [];
  const on = '[aria-checked=true], [aria-pressed=true], [aria-selected=true]';
  for (const each of all(on)) {
    const others = [...(each.parentElement?.children ?? [])].filter(other => other.tagName === each.tagName
      && other !== each && !other.matches(on));
    if (others.some(other => look(other) === look(each))) found.push(`on: ${each.innerText}`);
  }
  const inView = each => { const { top, height } = each.getBoundingClientRect(); return height && top < innerHeight; };
  for (const each of all('a[href], button, input, select, textarea, summary').filter(inView)) {
    const before = around(each).map(look);
    each.focus();
    if (each.getRootNode().activeElement !== each) continue;
    if (around(each).every((part, at) => look(part) === before[at])) found.push(`focus: ${each.outerHTML}`);
  }
  document.activeElement.blur();
  for (const each of all('.stSlider [role=group], .stCheckbox label > div:first-of-type'))
    if (getComputedStyle(each).forcedColorAdjust !== 'none') found.push(`knob: ${each.parentElement.innerText}`);
  document.adoptedStyleSheets = [];
  return found;
}"""


# Finds every text with a digit, also below the first screen, and its size on the screen: the smallest first.
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
    """The parts of a page that are visible without scrolling."""

    controls: list[str]
    words: list[str]
    ends: list[tuple[str, float]]  # its texts, each with the pixel at which it ends
    over: list[str]  # pairs of texts that overlap
    cut: list[str]  # texts that are cut off, without a sign that they go on
    covered: list[str]  # cells whose digits are covered, and "status" if the status is
    chips: int  # tokens, each of which can be picked
    small: list[str]  # texts smaller than 12 pixels
    down: int  # pixels that the page can be scrolled down
    sideways: int

    @property
    def trouble(self) -> dict[str, Any]:
        """The faults that no page may have, in any window."""
        found = {"over": self.over, "cut": self.cut, "covered": self.covered, "small": self.small}
        found |= {"sideways": ["page"] * (self.sideways > 0)}
        return {what: each for what, each in found.items() if each}

    def more_than(self, page: str, width: int) -> dict[str, Any]:
        """Return what exceeds the limits of MOST."""
        if (page, width) not in MOST:
            return {}
        controls, words, end = MOST[page, width]
        controls += max(0, self.chips - PICKED.get(page, self.chips))
        found = {f"controls, at most {controls}": self.controls[controls:] and self.controls}
        found |= {f"words, at most {words}": self.words[words:] and self.words}
        if end is not None:
            found |= {f"ends below {end}": [text for text, bottom in self.ends if bottom > end]}
            found |= {"scrolls": ["page"] * (self.down > 1)}
        return {what: each for what, each in found.items() if each}


def look_at(page: Page) -> Look:
    """Return what is visible of a page now."""
    return Look(**json.loads(page.evaluate(_LOOK)))


def schemes(page: Page) -> Iterator[str]:
    """Yield a page's own colour scheme, then the other one, in which it stays, as a change takes half a second."""
    is_dark = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    for scheme in ("dark", "light") if is_dark else ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        yield scheme


def digits_below(page: Page, pixels: float) -> list[str]:
    """Return a page's texts with digits that are smaller than so many pixels."""
    return [f"{size:.1f} px: {text}" for size, text in page.evaluate(_DIGITS) if size < pixels]


def contrast(one: list[int], other: list[int]) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2)."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: list[int]) -> float:
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


# Collects elements that move for longer than a frame from now on, but for those that unfold (`open`).
WATCH = """() => {
  window.moved = new Set();
  const look = () => {
    const roots = [document, ...[...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? [])];
    for (const { effect, timeline } of roots.flatMap(root => root.getAnimations()))
      if (timeline === document.timeline && effect.getComputedTiming().duration > 16 && !effect.target.open)
        window.moved.add(effect.target.outerHTML.slice(0, 200));
    requestAnimationFrame(look);
  };
  look();
}"""
