// One head of a model: a headline, the sentence with ribbons to what a token reads, and the attention weights as
// numbers. The texts of tokens are only ever set as textContent.

import { Ramp, stepOf } from "../board/cells/colours.js";
import { button, canvasOf, drawn, make, setText, toggle, UNSEEN, write } from "../board/cells/elements.js";
import { paintPixels } from "../board/cells/pixels.js";
import { ribbonsOf } from "../board/spine/ribbons.js";
import { inDigits, percent, unbroken } from "../board/values/numbers.js";
import { say } from "./sentences.js";

/**
 * The tokens of a head. `tokens` read the tokens `read`; these are the `same` ones, except in cross-attention. `typed`
 * has what the reader typed for each token. `marks` say which tokens the model adds, and which continue the word of the
 * token before. While a model writes, the rows of the first `kept` tokens were computed in earlier steps, and their
 * keys and values come from the KV cache; otherwise `kept` is null.
 * @typedef {{ tokens: string[], read: string[], typed?: string[], marks?: string[], same: boolean, kept?: number | null
 * }} Sentence
 */
/** @typedef {(row: number, column: number) => boolean} Hidden */

const HIGH = 62; // pixels above the sentence, for the ribbons
const SCALE = 0.9; // size of the ribbons, relative to those on a board
const SAME = 1e-6; // attention weights that differ by less count as equal
const [LEAST, MOST] = [13, 24]; // pixels of a row that shows numbers: the lowest and the highest
const [TITLES, NARROWEST] = [74, 26]; // pixels of the column of tokens, and of a column of numbers
const BARS = 6;

export class HeadView {
  /** @param {number} high pixels that the weights may take @param {(row: number) => void} onPick */
  constructor(high, onPick) {
    this.high = high;
    this.onPick = onPick;
    this.headline = make("p", "headline", [], { role: "status" });
    this.svg = drawn("svg", "", UNSEEN);
    this.line = make("div", "words");
    this.sentence = make("div", "sentence", [this.svg, this.line]);
    this.weights = make("div", "weights");
    this.bars = make("div", "reads");
    for (const each of [this.sentence, this.weights]) each.addEventListener("scroll", () => cue(each),
      { passive: true });
    /** @type {HTMLButtonElement[]} */
    this.chips = [];
    /** @type {HTMLElement[]} */
    this.others = [];
    /** @type {HTMLTableCellElement[][]} */
    this.cells = [];
    /** @type {Sentence} */
    this.of = { tokens: [], read: [], same: true };
    /** @type {(() => void) | null} */
    this.again = null;
    this.ramp = new Ramp("#ffffff", "#000000");
    this.negative = this.ramp; // for weights below 0, which a difference of two softmaxes may have
    this.known = "";
    // In a window of another width, such as a phone that was turned, tokens change their size and place.
    this.resized = new ResizeObserver(() => this.again?.());
    this.resized.observe(this.sentence);
  }

  /** @param {string} paper @param {string} ink @param {string} negative */
  colour(paper, ink, negative) {
    this.ramp = new Ramp(paper, ink);
    this.negative = new Ramp(paper, negative);
  }

  read(/** @type {Sentence} */ sentence) {
    const known = JSON.stringify(sentence);
    if (known === this.known) return;
    this.known = known;
    this.of = sentence;
    const { tokens, read, typed, marks, same, kept } = sentence;
    this.chips = tokens.map((token, row) => {
      const chip = button(`chip ${marks?.[row] ?? ""}`.trim(), token, () => this.onPick(row),
        { title: typed?.[row] ?? "" });
      toggle(chip, "now", Boolean(kept) && row >= Number(kept));
      return chip;
    });
    this.others = same ? this.chips : read.map((token) => make("span", "chip read", [token]));
    const words = [...new Set([...this.chips, ...this.others])];
    this.line.replaceChildren(...words.map((chip) => make("div", "word", [chip, make("span", "share")])));
    this.table();
    for (const word of words) this.resized.observe(word);
  }

  // The table of weights. For a sentence too long for it, `paint` draws a picture without numbers instead.
  table() {
    const { tokens, read, kept } = this.of;
    const side = Math.min(MOST, Math.floor((this.high - MOST) / tokens.length));
    this.cells = [];
    this.weights.style.setProperty("--row", `${side}px`);
    this.weights.style.setProperty("--narrowest", `${TITLES + NARROWEST * read.length}px`);
    if (side < LEAST) return this.weights.replaceChildren();
    const corner = make("td", "symbol", [say("models.view.symbol")]);
    const when = (/** @type {number} */ at) => (typeof kept === "number" ? (at < kept ? "kept" : "now") : "");
    const head = make("tr", "",
      [corner, ...read.map((token, at) => make("th", when(at), [make("span", "", [token])], { title: token }))]);
    const lines = tokens.map((token, row) => {
      const cells = read.map(() => make("td"));
      this.cells.push(cells);
      const line = make("tr", when(row), [make("th", when(row), [token], { title: token }), ...cells]);
      if (when(row)) line.title = when(row) === "kept" ? say("write.row_kept") : say("write.row_now");
      line.onclick = () => this.onPick(row);
      return line;
    });
    this.weights.replaceChildren(make("table", "", [make("tbody", "", [head, ...lines])],
      { "aria-label": say("models.view.title") }));
  }

  /**
   * Show all attention weights of a head, row by row, and describe one row in words.
   * @param {ArrayLike<number>} values @param {number} row @param {Hidden | null} hidden
   */
  show(values, row, hidden) {
    this.again = () => this.ribbons(shares, row);
    const columns = this.of.read.length;
    const picked = Math.min(row, this.of.tokens.length - 1);
    const shares = Array.from({ length: columns }, (_, at) => values[picked * columns + at]);
    this.headline.textContent = unbroken(this.inWords(shares, picked, hidden));
    this.chips.forEach((chip, at) => write(chip, "aria-pressed", String(at === picked)));
    this.others.forEach((chip, at) => {
      const share = hidden?.(picked, at) ? say("models.view.later") : percent(shares[at] || 0);
      const place = /** @type {HTMLElement} */ (chip.nextElementSibling);
      place.textContent = share;
      toggle(place, "strong", share === percent(Math.max(...shares)));
      toggle(place, "faint", !(shares[at] >= 0.01));
    });
    this.ribbons(shares, picked);
    this.rank(shares);
    if (this.cells.length) this.cells.forEach((cells, at) => this.fill(cells, values, at, picked, hidden));
    else this.paint(values, picked);
  }

  /** @param {HTMLElement[]} cells @param {ArrayLike<number>} values @param {number} row @param {number} picked
   *  @param {Hidden | null} hidden */
  fill(cells, values, row, picked, hidden) {
    toggle(/** @type {HTMLElement} */ (cells[0].parentElement), "on", row === picked);
    cells.forEach((cell, column) => {
      const value = values[row * cells.length + column];
      const open = !Number.isFinite(value) || (hidden?.(row, column) ?? false);
      const shade = open ? null : (value < 0 ? this.negative : this.ramp).shade(stepOf(value, 1));
      const text = open ? "" : inCell(value);
      setText(cell, text);
      cell.dataset.value = String(value);
      toggle(cell, "hidden", open);
      cell.style.background = shade?.paper ?? "";
      cell.style.color = shade?.ink ?? "";
    });
  }

  // For long sentences: one pixel for each weight, with a frame around the picked row.
  /** @param {ArrayLike<number>} values @param {number} picked */
  paint(values, picked) {
    const [rows, columns] = [this.of.tokens.length, this.of.read.length];
    const { canvas, context } = canvasOf("", columns, rows);
    const image = new ImageData(columns, rows);
    paintPixels(new Uint32Array(image.data.buffer), { rows, columns, values },
      { turned: false, limit: 1, inks: this.ramp.inks, negative: this.negative.inks, hidden: null });
    context.putImageData(image, 0, 0);
    const frame = make("i", "frame");
    Object.assign(frame.style, { top: `${(100 * picked) / rows}%`, height: `${100 / rows}%` });
    const picture = make("div", "picture", [canvas, frame]);
    picture.style.width = picture.style.height = `${this.high}px`;
    this.weights.replaceChildren(picture);
  }

  /** @param {number[]} shares @param {number} picked */
  ribbons(shares, picked) {
    const middle = (/** @type {HTMLElement} */ chip) => chip.offsetLeft + chip.offsetWidth / 2;
    const own = this.chips[picked];
    if (!own?.offsetWidth) return;
    for (const each of [this.sentence, this.weights]) cue(each);
    bringIntoSight(this.sentence, own, this.others[shares.indexOf(Math.max(...shares))]);
    const [middles, start] = [this.others.map(middle), middle(own)];
    const paths = ribbonsOf(shares, this.of.same ? picked : -1, middles, HIGH, SCALE, start)
      .filter(({ width }) => width > 0.2);
    // Ribbons are dark at the token that reads and pale at the tokens that it reads.
    const far = Math.max(1, ...middles.map((each) => Math.abs(each - start)));
    const fade =
      drawn("radialGradient", "", { id: "fade", gradientUnits: "userSpaceOnUse", cx: start, cy: HIGH, r: far });
    fade.append(...[[0, 0.85], [1, 0.35]].map(([offset, opacity]) =>
      drawn("stop", "", { offset, "stop-color": "var(--weight)", "stop-opacity": opacity })));
    this.svg.replaceChildren(fade,
      ...paths.map(({ path, width }) => drawn("path", "", { d: path, "stroke-width": width, stroke: "url(#fade)" })));
  }

  // Bars of the tokens that are read most. On phones, they replace the table of a long sentence.
  rank(/** @type {number[]} */ shares) {
    const order = shares.map((share, at) => ({ share, at })).filter(({ share }) => share > 0);
    const first = order.toSorted((a, b) => b.share - a.share).slice(0, BARS);
    this.bars.replaceChildren(...first.map(({ share, at }) => bar(this.of.read[at], percent(share), share)));
  }

  /** @param {number[]} shares @param {number} row @param {Hidden | null} hidden */
  inWords(shares, row, hidden) {
    const reach = shares.map((_, at) => at).filter((at) => !hidden?.(row, at));
    const most = Math.max(...shares);
    const share = percent(most);
    const places = { query: this.of.tokens[row], key: this.of.read[shares.indexOf(most)], share, count: reach.length };
    if (!Number.isFinite(most)) return say("models.view.undefined", places);
    if (reach.length > 1 && reach.every((at) => Math.abs(shares[at] - most) < SAME))
      return say("models.view.equally", places);
    const count = reach.filter((at) => percent(shares[at]) === share).length;
    if (count > 1 && count < reach.length) return say("models.view.most_each", { ...places, count });
    const itself = this.of.same && shares.indexOf(most) === row;
    return say(itself ? "models.view.itself" : "models.view.most", places);
  }
}

// Fades the edges at which a part can be scrolled further, and lets the keyboard scroll it, too.
function cue(/** @type {HTMLElement} */ part) {
  const { scrollLeft, scrollWidth, clientWidth } = part;
  toggle(part, "more-left", scrollLeft > 1);
  toggle(part, "more-right", scrollLeft + clientWidth < scrollWidth - 1);
  if (scrollWidth > clientWidth + 1) part.tabIndex = 0;
  else part.removeAttribute("tabindex");
}

// A token, a bar as long as its share, and the share as text.
/** @param {string} name @param {string} text @param {number} share */
export function bar(name, text, share) {
  const full = make("i");
  full.style.width = `${100 * share}%`;
  return make("div", "bar",
    [make("span", "name", [name], { title: name }), make("span", "full", [full]), make("span", "value", [text])]);
}

// Two digits; "≈0" for a number that isn't 0 but would be written as 0.
function inCell(/** @type {number} */ value) {
  const text = inDigits(value, 2);
  return value !== 0 && Number(text) === 0 ? "≈0" : text;
}

// Scrolls so that a token and the one that it reads most are visible. If both don't fit, it shows the token itself,
// with its surroundings on the side of the other one.
/** @param {HTMLElement} place @param {HTMLElement} own @param {HTMLElement | undefined} most */
function bringIntoSight(place, own, most = own) {
  const end = (/** @type {HTMLElement} */ chip) => chip.offsetLeft + chip.offsetWidth;
  const [wide, from] = [place.clientWidth, place.scrollLeft];
  const [left, right] = [Math.min(own.offsetLeft, most.offsetLeft), Math.max(end(own), end(most))];
  if (right - left <= wide) {
    if (left < from || right > from + wide) place.scrollLeft = (left + right - wide) / 2;
  } else if (own.offsetLeft < from || end(own) > from + wide) {
    place.scrollLeft = most.offsetLeft < own.offsetLeft ? end(own) - wide : own.offsetLeft;
  }
}
