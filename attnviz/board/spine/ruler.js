// The ruler beside a number that is dragged: how far a hand leads it, where it was and what it is. On a first visit it
// stands there before anything is done, beside one number, and says what that does.

import { make, toggle, UNSEEN } from "../cells/elements.js";
import { evaluateWithin } from "../values/evaluate.js";
import { lineOf } from "../values/matrices.js";
import { written } from "../values/numbers.js";
import { say } from "../../scripts/sentences.js";

const REACH = 100; // pixels of a hand for the largest number of a matrix
const [LEAST, KNOB] = [60, 12]; // of a ruler, and of its knob
const TICK = 24; // between two ticks, at least
const NEAR = 2; // a tick, its number is meant

/** How many pixels of a hand a one is. @param {Matrix} matrix */
function pixelsPerOne({ values }) {
  const most = values.reduce((largest, value) =>
    (Number.isFinite(value) ? Math.max(largest, Math.abs(value)) : largest), 1);
  return REACH / most;
}

/** What a hand makes of a number: whole hundredths, or a tick's number or what it was `drawn` with, where it comes near
 *  that.
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
    this.first = board.host.store?.isFirst() ?? false; // until anything was done
    this.perOne = 1; // of the drag
    this.before = 0;
    /** @type {number | null} */
    this.from = null; // where on the spine a hand took hold of it
    /** @type {Rect | null} */
    this.at = null;
    this.says = make("div", "ruler-says");
    this.line = make("div", "ruler-line");
    this.knob = make("div", "ruler-knob");
    this.element = make("div", "ruler", [this.says, this.line, this.knob], UNSEEN); // its cell is and says it
    this.knob.onpointerdown = (event) => {
      const place = this.place;
      if (!place || board.drag || event.button !== 0) return;
      event.preventDefault();
      board.focus(place);
      board.input.dragFrom(place, event);
    };
  }

  // The first thing to do: to drag the largest number of what makes the first product, to below 0.
  /** @returns {Place | null} */
  get toy() {
    const { board } = this;
    if (!this.first || !board.explores) return null;
    const factor = [...board.stages.values()].find(({ role, rule, rows, name }) => role === "q" && rule === "given"
      && rows === "feature" && board.torch[name].columns > 1);
    if (!factor || (!board.grids.has(factor.name) && !board.story.told)) return null;
    const { values, columns } = board.torch[factor.name];
    const at = values.indexOf(Math.max(...values));
    return values[at] > 0 ? { matrix: factor.name, row: Math.floor(at / columns), column: at % columns } : null;
  }

  get place() {
    return this.board.drag ?? this.toy;
  }

  // What happens to the picked word when the number of the toy is 0: only what is so is said.
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
    const from = board.stages.get("attention_weights").own_from; // where this sentence begins among all that is read
    const own = from !== null && key === from + board.query;
    return say(own ? "board.ruler.promise_itself" : "board.ruler.promise",
      { token: board.data.labels[board.query], key: board.data.keys[key] });
  }

  // Something was done: it is no first visit any more.
  begun() {
    if (!this.first) return;
    this.first = false;
    this.board.host.store?.remember();
    this.show();
    this.board.sentence.show();
    if (this.board.story.told) this.board.assembly.lay();
  }

  // A number is taken hold of.
  /** @param {Place} place @param {number} before @param {number | null} from */
  hold(place, before, from = null) {
    this.from = from;
    this.perOne = pixelsPerOne(this.board.given[place.matrix]);
    this.before = before;
  }

  // After everything has its place, and with each move of a hand.
  show() {
    const { board, place } = this;
    const { drag, layout } = board;
    const box = place && layout.boxes[place.matrix];
    this.element.hidden = !box || board.story.told;
    if (!place || !box || board.story.told) return;
    const held = drag !== null;
    if (!held) this.hold(place, board.givenAt(place));
    const [across, down] = box.turned ? [place.row, place.column] : [place.column, place.row];
    const [left, middle] = [box.x + across * box.cell, box.y + (down + 0.5) * box.row];
    const most = REACH / this.perOne;
    // It lies where no number does: from the cell to the left.
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
    // What it says ends before the lines that lead away from what is multiplied with.
    const x = layout.boxes[this.sourceOf(place)];
    const end = x && x.x + x.width < left ? x.x + x.width : left - 8;
    Object.assign(this.says.style, { right: `${left - 4 - end}px`, width: `${Math.min(240 * layout.scale, end)}px` });
    this.knob.style.left = `${at - free}px`;
    toggle(this.element, "held", held);
    toggle(this.element, `role-${board.stage(place).role}`, true);
    this.tell(value, held);
  }

  /** @param {number} value @param {boolean} held */
  tell(value, held) {
    const [was, now] = [this.before, value].map((each) => written(each, 2));
    if (held) return this.says.replaceChildren(make("span", "", [`${was} → `, make("b", "", [now])]),
      make("small", "", [say("board.ruler.escape")]));
    const { promise } = this;
    const drag = say(promise ? "board.ruler.drag_to" : "board.ruler.drag", { value: was });
    this.says.replaceChildren(make("span", "", [drag]), ...(promise ? [make("b", "", [promise])] : []));
  }

  // What is multiplied with a matrix.
  sourceOf(/** @type {Place} */ { matrix }) {
    return [...this.board.stages.values()].find(({ sources }) => sources[1] === matrix)?.sources[0] ?? "";
  }

  // How far to the left nothing stands at a height, and names of rows neither.
  /** @param {number} left @param {number} middle */
  freeTo(left, middle) {
    const { boxes, labels, start } = this.board.layout;
    const inWay = Object.values(boxes)
      .filter(({ x, y, width, height }) => x + width <= left && y < middle + KNOB && middle - KNOB < y + height);
    return Math.max(middle > start ? labels : 0, ...inWay.map(({ x, width }) => x + width + 4));
  }

  // Ticks at whole numbers, so many that they can be told apart.
  /** @param {number} from @param {number} to @param {number} zero where the least number is @param {number} most */
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
