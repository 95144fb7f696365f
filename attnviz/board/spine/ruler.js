// The ruler beside a number that is dragged: how far the pointer moves it, its value before and now. On a first visit
// the ruler stands beside one number from the start, and says what dragging it would change.

import { make, toggle, UNSEEN } from "../cells/elements.js";
import { evaluateWithin } from "../values/evaluate.js";
import { lineOf } from "../values/matrices.js";
import { written } from "../values/numbers.js";
import { say } from "../../scripts/sentences.js";

// Lengths in pixels.
const REACH = 100; // length of a drag that changes a number by the largest one of its matrix
const [LEAST, KNOB] = [60, 12]; // the shortest ruler, and half of its knob's height
const TICK = 24; // distance of two ticks, at least
const NEAR = 2; // within this distance of a tick, a dragged number snaps to it

/** How many pixels of a drag change a number by 1. @param {Matrix} matrix */
function pixelsPerOne({ values }) {
  const most = values.reduce((largest, value) =>
    (Number.isFinite(value) ? Math.max(largest, Math.abs(value)) : largest), 1);
  return REACH / most;
}

/** A number after a drag: a whole number of hundredths, or the nearby number of a tick, or the number that was `drawn`
 *  at first.
 *  @param {number} before @param {number} way in pixels @param {number} perOne @param {boolean} fine
 *  @param {number} drawn */
export function draggedTo(before, way, perOne, fine, drawn) {
  if (way === 0 || !Number.isFinite(before)) return before;
  const value = before + way / perOne / (fine ? 10 : 1);
  if (Math.abs(value - drawn) < 0.005) return drawn;
  const tick = Math.round(value);
  if (!fine && perOne >= TICK && Math.abs(value - tick) * perOne < NEAR) return tick;
  return Math.abs(value) < 1e9 ? Math.round(value * 100) / 100 : value;
}

export class Ruler {
  /** @param {Pick<Board, "assembly" | "data" | "drag" | "explores" | "focus" | "given" | "givenAt" | "grids" | "host"
   *  | "input" | "layout" | "query" | "sentence" | "shown" | "stage" | "stages" | "story" | "torch">} board */
  constructor(board) {
    this.board = board;
    this.first = board.host.store?.isFirst() ?? false; // a first visit, until the reader does something
    this.perOne = 1; // pixels of a drag that change the number by 1
    this.before = 0;
    /** @type {number | null} */
    this.from = null; // where on the spine the drag began
    /** @type {Rect | null} */
    this.at = null;
    this.says = make("div", "ruler-says");
    this.line = make("div", "ruler-line");
    this.knob = make("div", "ruler-knob");
    this.element = make("div", "ruler", [this.says, this.line, this.knob], UNSEEN); // screen readers read the cell
    this.knob.onpointerdown = (event) => {
      const place = this.place;
      if (!place || board.drag || event.button !== 0) return;
      event.preventDefault();
      board.focus(place);
      board.input.dragFrom(place, event);
    };
  }

  // The cell that a newcomer is invited to drag below 0: the largest number of W_q.
  /** @returns {Place | null} */
  get toy() {
    const { board } = this;
    if (!this.first || !board.explores) return null;
    const factor = [...board.stages.values()].find(({ role, rule, rows, name }) => role === "q" && rule === "given"
      && rows === "feature" && board.torch[name].columns > 1);
    if (!factor || (!board.grids.has(factor.name) && !board.story.isShown)) return null;
    const { values, columns } = board.torch[factor.name];
    const at = values.indexOf(Math.max(...values));
    return values[at] > 0 ? { matrix: factor.name, row: Math.floor(at / columns), column: at % columns } : null;
  }

  get place() {
    return this.board.drag ?? this.toy;
  }

  // A sentence on what the picked token would read most if the toy's number were 0; "" if that stays the same. It is
  // computed, so that it is true of these numbers.
  get promise() {
    const { board, toy } = this;
    const weights = board.shown.attention_weights;
    if (!toy || !weights || board.stages.get("attention_weights").rule === "given") return "";
    const now = board.given[toy.matrix] ? board.given : board.torch;
    const { values, columns } = now[toy.matrix];
    const without = values.with(toy.row * columns + toy.column, 0);
    const given = { ...now, [toy.matrix]: { ...board.torch[toy.matrix], values: without } };
    const { matrices } = evaluateWithin(board.stages, given, board.torch);
    const mostOf = (/** @type {Matrix} */ each) => {
      const row = [...lineOf(each, board.query)];
      return row.indexOf(Math.max(...row));
    };
    const key = mostOf(weights);
    if (mostOf(matrices.attention_weights) === key) return "";
    const from = board.stages.get("attention_weights").first_own_key; // index of this sentence's first key
    const own = from !== null && key === from + board.query;
    return say(own ? "board.ruler.promise_itself" : "board.ruler.promise",
      { token: board.data.labels[board.query], key: board.data.keys[key] });
  }

  // The reader has done something: end the first visit's looks.
  begun() {
    if (!this.first) return;
    this.first = false;
    this.board.host.store?.remember();
    this.show();
    this.board.sentence.show();
    if (this.board.story.isShown) this.board.assembly.lay();
  }

  // Remember a number before its drag.
  /** @param {Place} place @param {number} before @param {number | null} from */
  hold(place, before, from = null) {
    this.from = from;
    this.perOne = pixelsPerOne(this.board.given[place.matrix]);
    this.before = before;
  }

  // Draw the ruler, after the board is laid out and with each move of a drag.
  show() {
    const { board, place } = this;
    const { drag, layout } = board;
    const box = place && layout.boxes[place.matrix];
    this.element.hidden = !box || board.story.isShown;
    if (!place || !box || board.story.isShown) return;
    const held = drag !== null;
    if (!held) this.hold(place, board.givenAt(place));
    const [across, down] = box.turned ? [place.row, place.column] : [place.column, place.row];
    const [left, middle] = [box.x + across * box.cell, box.y + (down + 0.5) * box.row];
    const most = REACH / this.perOne;
    // It extends from the cell to the left, as far as no number stands there.
    const from = this.from ?? left - 3;
    const zero = from - (this.before + most) * this.perOne;
    const free = across ? left : Math.max(zero, this.freeTo(left, middle));
    this.element.hidden = left - free < LEAST;
    if (this.element.hidden) return;
    const value = drag?.value ?? this.before;
    Object.assign(this.element.style, { left: `${free}px`, top: `${middle}px`, width: `${left - 4 - free}px` });
    this.line.replaceChildren(...this.ticks(free, left - 8, zero, most));
    const at = held ? Math.min(left, Math.max(free, from + (value - this.before) * this.perOne))
      : left - 3;
    this.line.style.setProperty("--to", `${at - free}px`);
    // Its text ends where the left factor does, before the lines that start there.
    const x = layout.boxes[this.sourceOf(place)];
    const end = x && x.x + x.width < left ? x.x + x.width : left - 8;
    Object.assign(this.says.style, { right: `${left - 4 - end}px`, width: `${Math.min(240 * layout.scale, end)}px` });
    this.knob.style.left = `${at - free}px`;
    toggle(this.element, "held", held);
    toggle(this.element, `role-${board.stage(place).role}`, true);
    this.describe(value, held);
  }

  /** @param {number} value @param {boolean} held */
  describe(value, held) {
    const [was, now] = [this.before, value].map((each) => written(each, 2));
    if (held) return this.says.replaceChildren(make("span", "", [`${was} → `, make("b", "", [now])]),
      make("small", "", [say("board.ruler.escape")]));
    const { promise } = this;
    const drag = say(promise ? "board.ruler.drag_to" : "board.ruler.drag", { value: was });
    this.says.replaceChildren(make("span", "", [drag]), ...(promise ? [make("b", "", [promise])] : []));
  }

  // The left factor of the product with this right factor.
  sourceOf(/** @type {Place} */ { matrix }) {
    return [...this.board.stages.values()].find(({ sources }) => sources[1] === matrix)?.sources[0] ?? "";
  }

  // The left end of the free room at a height: neither matrices nor names of rows stand there.
  /** @param {number} left @param {number} middle */
  freeTo(left, middle) {
    const { boxes, labels, start } = this.board.layout;
    const inWay = Object.values(boxes)
      .filter(({ x, y, width, height }) => x + width <= left && y < middle + KNOB && middle - KNOB < y + height);
    return Math.max(middle > start ? labels : 0, ...inWay.map(({ x, width }) => x + width + 4));
  }

  // Ticks at whole numbers, at least TICK pixels apart.
  /** @param {number} from @param {number} to @param {number} zero place of the least number @param {number} most */
  ticks(from, to, zero, most) {
    const power = 10 ** Math.max(0, Math.ceil(Math.log10(TICK / this.perOne)));
    const step = power / 2 >= 1 && (power / 2) * this.perOne >= TICK ? power / 2 : power;
    const ticks = [];
    for (let value = -Math.floor(most / step) * step; value <= most; value += step) {
      const x = zero + (value + most) * this.perOne;
      if (x < from || x > to) continue;
      const tick = make("i", "", [String(value).replace("-", "−")]);
      tick.style.left = `${x - from}px`;
      ticks.push(tick);
    }
    return ticks;
  }
}
