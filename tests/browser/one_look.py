"""Elements with a look of their own: buttons of no known kind, sliders, sentences in small letters."""

import json

from playwright.sync_api import Page

# Compares buttons with the measures of attnviz/scripts/controls.css, scaled as the board is. Left out are numbers,
# names and pictures that are picked in place, rows of a list, buttons inside fields, and the bar at the top of pages.
_ODD = r"""() => {
  const roots = [document, ...[...document.querySelectorAll('*')].flatMap(each => each.shadowRoot ?? [])];
  const all = selector => roots.flatMap(root => [...root.querySelectorAll(selector)])
    .filter(each => each.checkVisibility({ visibilityProperty: true, opacityProperty: true })
      && each.getBoundingClientRect().width > 2);
  const places = '.cell, td, th, .name, .op, .stages, .head, .picture, .play, .row, .offer, .head-picture, .tab';
  const bar = '.stAppHeader, .st-key-top_bar, [data-testid=stSidebar], [data-testid=stElementToolbar]';
  const act = innerWidth <= 640 ? 36 : 32; // for a finger
  const way = '.narrow :is(.turn, .role-q, .role-k, .role-a, .role-v)'; // from one matrix to the next, in a picture
  const highOf = each => { // beside words it's as high as they, and under a board on a telephone as its rows are
    const chip = each.closest('.narrow .tools') && each.closest('.sentence').querySelector('.chip');
    return chip ? chip.offsetHeight : each.closest('.narrow :is(.views, .deeds)') ? 40 : act;
  };
  const scaleOf = each => { // of the board that it stands in, whose dock doesn't grow as far
    const board = each.closest('.board');
    const scale = board ? parseFloat(getComputedStyle(board).getPropertyValue('--s')) : 1;
    return each.closest('.panel') ? Math.min(scale, 1.5) : scale;
  };
  const isNear = (one, other, by = 1.1) => Math.abs(one - other) <= by;
  const kindOf = each => {
    const style = getComputedStyle(each), letters = getComputedStyle(each.querySelector('p') ?? each);
    const scale = scaleOf(each), high = each.getBoundingClientRect().height / each.currentCSSZoom / scale;
    const size = parseFloat(letters.fontSize) / scale, bold = parseInt(letters.fontWeight) >= 600;
    const rounds = [style.borderTopLeftRadius, style.borderBottomRightRadius].map(parseFloat);
    const round = rounds.every(radius => radius === 8);
    const framed = parseFloat(style.borderTopWidth) >= 1 && !/, 0\)$/.test(style.borderTopColor);
    const ink = !/, 0\)$/.test(style.backgroundColor) && style.backgroundColor === style.borderTopColor;
    const line = letters.textDecorationLine === 'underline';
    if (each.matches('.chip, .tokens button, [data-variant=pills]')) return round && 'chip';
    if (each.dataset.variant) return isNear(high, 32) && isNear(size, 14) && rounds.every(r => r === 0 || r === 8)
      && 'segment';
    if (each.matches('.keys-button')) return round && framed && 'mark';
    if (line && !framed) return isNear(size, 16) && 'quiet';
    if (each.disabled) return isNear(high, highOf(each)) && isNear(size, 14) && 'outlined';
    if (each.closest('[class*="st-key-questions-open-"]')) return framed && round && isNear(size, 16) && 'card';
    if (!framed || !round) return false;
    if (bold && isNear(size, 17) && [36, 44, 52].some(least => isNear(high, least))) return 'large';
    const text = each.querySelector('p') ?? each, range = document.createRange();
    range.selectNodeContents(text);
    const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top / 8))).size;
    return (isNear(high, highOf(each)) || (high > act && lines > 1)) && isNear(size, 14, 0.6) && bold === ink
      && (ink ? 'filled' : 'outlined');
  };
  const acts = all('button, a[kind]').filter(each => !each.closest(`${places}, ${bar}, ${way}`)
    && (each.matches('[kind], [data-variant]') || each.getRootNode() !== document
      || each.closest('.door, .people, .teacher'))); // a class's pages, which aren't Streamlit's
  const odd = acts.filter(each => !kindOf(each)).map(each => {
    const style = getComputedStyle(each), { height } = each.getBoundingClientRect();
    const { fontSize, fontWeight } = getComputedStyle(each.querySelector('p') ?? each);
    return `${each.ariaLabel ?? each.innerText}: ${height} px high, ${fontSize}/${fontWeight}, ${style.borderRadius},`
      + ` ${style.border}, ${style.backgroundColor}`;
  });
  for (const each of all('input[type=range]').filter(each => each.getRootNode() !== document))
    if (getComputedStyle(each).appearance !== 'none') odd.push(`a slider of another look: ${each.ariaLabel}`);
  const aside = `[data-testid=stCaptionContainer], [data-testid=stWidgetLabel], figcaption, small, svg,
    .short, .note, .status, .plane, .mix, .marks, .rows, [role=tooltip], .sr-only, .legend, table, pre, label`;
  const least = each => each.closest(`${aside}, .st-key-foot`) ? 12 : each.closest('.narrow') ? 13 : 16;
  for (const root of roots) {
    const walker = document.createTreeWalker(root === document ? document.body : root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement: parent, data } = walker.currentNode;
      if (!parent || parent.closest(`style, script, noscript, option, button, summary, ${bar}`)) continue;
      if ((data.match(/\p{L}{2,}/gu) ?? []).length < 4 || !/[.?!:]\s*$/.test(data)) continue;
      if (!parent.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const size = parseFloat(getComputedStyle(parent).fontSize);
      if (size < least(parent) - 0.1) odd.push(`${size} px: ${data.trim()}`);
    }
  }
  return JSON.stringify(odd);
}"""


def odd(page: Page) -> list[str]:
    """Return the buttons, sliders and sentences of a page that differ from others of their kind."""
    found: list[str] = json.loads(page.evaluate(_ODD))
    return found
