// Motion that shows what has become of what: the band and the ribbons of another picked word, numbers and colours after
// a switch. Attributes, labels and the numbers in full have their end values at once; what moves is only what is seen.

import { written } from "../values/numbers.js";
import { CONSTANTS } from "../../scripts/sent.js";

export const PICKED_MS = 250;
export const PREVIEW_MS = { in: 90, out: 60 };
const BECOMES_MS = { all: 600, word: 70, number: 90 }; // to come, and after the word and the number before it
const COLOURS_MS = 200;
const NUMBERS_MS = 300;
const MOST_CELLS = 1500; // more of them would cost frames
const SAME = 2e-6; // of the largest number: what the page and torch round differently
const EASING = "cubic-bezier(0.3, 0, 0.2, 1)";

/** @typedef {{ cell: BoardCell, from: number, to: number, end: string, written: string }} Run a number that counts
 *  up */

// Whether the reader has asked for no motion.
export function reducedMotion() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

export class Motion {
  /** @param {Pick<Board, "colours" | "data" | "digits" | "flow" | "frame" | "grids" | "limitOf" | "sentence"
   *  | "shown" | "story">} board */
  constructor(board) {
    this.board = board;
    /** @type {Run[]} */
    this.runs = [];
    /** @type {number | null} */
    this.frame = null;
    /** @type {Animation[]} */
    this.following = []; // what moves to another word
  }

  // Draw another word's row, and let what marks it move there from where it was.
  /** @param {() => void} draw @param {number} duration */
  follow(draw, duration) {
    if (reducedMotion()) return draw();
    const moving = this.moving();
    const before = moving.map(({ look }) => look());
    for (const animation of this.following) animation.cancel();
    this.following = [];
    draw();
    moving.forEach(({ element, look }, at) => {
      const after = look();
      if (JSON.stringify(before[at]) === JSON.stringify(after)) return;
      const frames =
        Object.fromEntries(Object.keys(after).map((property) => [property, [before[at][property], after[property]]]));
      this.following.push(element.animate(frames, { id: "follow", duration, easing: EASING }));
    });
  }

  // What follows the picked word, and how each looks.
  /** @returns {{ element: Element, look: () => Record<string, string> }[]} */
  moving() {
    const { frame, flow, sentence } = this.board;
    // Hundreds of ribbons would take longer to start than they move.
    const paths = sentence.paths.length > CONSTANTS.FITS ? [] : sentence.paths;
    const ribbons = paths.map(({ share }) => ({
      element: share,
      look: () => ribbonLook(share),
    }));
    const along = [frame.band, ...flow.alongs].map((element) => ({ element,
      look: () => ({ transform: element.style.transform || "none" }) }));
    return [...along, ...ribbons];
  }

  // In the lesson, words become rows, and rows become numbers: names come down from the words, and numbers from their
  // row's name. `before` says how many matrices were reached, null on a page that has just opened.
  becomes(/** @type {number | null} */ before) {
    const { board: { data, frame, grids, sentence } } = this;
    if (!data.tells || data.tells.presents || reducedMotion()) return;
    if (!data.shown.length) {
      for (const [at, name] of frame.names) {
        const [from, to] = [sentence.chips[at], name].map((each) => each.getBoundingClientRect());
        comes(name, `translate(${from.right - to.right}px, ${from.top - to.top}px)`, at * BECOMES_MS.word);
      }
    } else if (before === 0) {
      // once they have their cells
      requestAnimationFrame(() => grids.forEach((grid) => grid.cells.slice(0, MOST_CELLS).forEach((cell, at) => {
        const { columns } = this.board.shown[grid.stage.name];
        const [row, column] = [Math.floor(at / columns), at % columns];
        comes(cell, "translateX(-60px)", row * BECOMES_MS.word + column * BECOMES_MS.number);
      })));
    }
  }

  // What had these numbers has others now: they count there, and colours change. `instead` names, for a matrix that
  // stands in another's place, that other one.
  /** @param {Matrices} before @param {Record<string, string>} instead */
  switched(before, instead = {}) {
    this.still();
    if (reducedMotion() || this.board.story.told) return; // a story has bars and percents
    const changed = [...this.board.grids.values()]
      .flatMap((grid) => this.changedIn(grid, before[instead[grid.stage.name] ?? grid.stage.name]));
    if (changed.length > MOST_CELLS) return;
    for (const { cell, from, to } of changed) cell.animate({ boxShadow: [filled(from), filled(to)] },
      { id: "switch", duration: COLOURS_MS });
    this.runs = changed.filter(({ run }) => run.end && /\d/.test(run.end)).map(({ run }) => run);
    if (this.runs.length) this.count(performance.now());
  }

  /** @param {Grid} grid @param {Matrix | undefined} before */
  changedIn({ stage, cells }, before) {
    const { board } = this;
    const after = board.shown[stage.name]; // not there yet while an edit waits for its answer on a board built anew
    if (!before || before.rows !== after?.rows || before.columns !== after.columns) return [];
    const { values } = after;
    const limit = board.limitOf(stage);
    return cells.flatMap((cell, at) => {
      const [from, to] = [before.values[at], values[at]];
      if (!Number.isFinite(from) || !Number.isFinite(to) || cell.masked || Math.abs(to - from) <= SAME * limit)
        return [];
      const paperOf = (/** @type {number} */ value) => board.colours.of(stage.role, value, limit)?.paper ?? "";
      const end = cell.text.data;
      return [{ cell, from: paperOf(from), to: paperOf(to), run: { cell, from, to, end, written: end } }];
    });
  }

  count(/** @type {number} */ start) {
    this.frame = requestAnimationFrame((now) => {
      const part = Math.max(0, Math.min(1, (now - start) / NUMBERS_MS));
      if (part === 1) return this.still();
      for (const run of this.runs) this.write(run,
        inBetween(run.from + (run.to - run.from) * part * (2 - part), this.board.digits));
      this.count(start);
    });
  }

  // Every number that still counts has its end value.
  still() {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
    for (const run of this.runs) this.write(run, run.end);
    this.runs = [];
  }

  // What something else has written meanwhile stays.
  /** @param {Run} run @param {string} text */
  write(run, text) {
    const { data } = run.cell.text;
    if (data !== run.written) return;
    if (data !== text) run.cell.text.data = text;
    run.written = text;
  }
}

/** @param {HTMLElement} element @param {string} from @param {number} delay */
function comes(element, from, delay) {
  element.animate({ transform: [from, "none"], opacity: [0, 1] },
    { id: "becomes", duration: BECOMES_MS.all, delay, easing: EASING, fill: "backwards" });
}

// A cell's colour, laid over its background: Chromium hands an animated background to its compositor, and a tab of 156
// crashed when the style of such a cell changed afterwards.
function filled(/** @type {string} */ colour) {
  return `inset 0 0 0 100px ${colour}`;
}

// On its way a small number isn't written in powers of ten, which would jump.
/** @param {number} value @param {number} digits */
function inBetween(value, digits) {
  return Math.abs(value) < 0.1 ** digits ? written(0, digits) : written(value, digits);
}

/** @param {SVGPathElement} path @returns {Record<string, string>} */
function ribbonLook(path) {
  const d = path.getAttribute("d");
  return { d: d ? `path("${d}")` : "none", strokeWidth: `${path.getAttribute("stroke-width") ?? 0}px` };
}
