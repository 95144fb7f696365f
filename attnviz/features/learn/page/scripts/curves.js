// All matrices of a model at any kept moment, computed in the page from the learned ones, and curves over the time of a
// training, with one cursor through them.

import { drawn, make } from "../../../../board/cells/elements.js";
import { evaluate } from "../../../../board/values/evaluate.js";
import { say, thousands } from "../../../../scripts/sentences.js";

/** @typedef {{ name: string, rows: number, columns: number, since: number }} Learned a learned matrix; `since` is the
 *  index of its first number among a moment's */
/** @typedef {{ name: string, first: number, after: number }} Off rows of W_o that belong to a head switched off */

/**
 * Computes every matrix at a moment from its learned numbers and from other given matrices; rows that are off are 0.
 * @param {Stage[]} stages @param {Matrices} given @param {Learned[]} learned @param {Float32Array} numbers of the
 * moment
 * @param {Off[]} off
 */
export function madeAt(stages, given, learned, numbers, off = []) {
  /** @type {Matrices} */
  const matrices = { ...given };
  for (const { name, rows, columns, since } of learned) {
    matrices[name] = { rows, columns, values: Float64Array.from(numbers.subarray(since, since + rows * columns)) };
  }
  for (const { name, first, after } of off) matrices[name].values.fill(0, first * matrices[name].columns,
    after * matrices[name].columns);
  return evaluate(stages, matrices);
}

/**
 * A step's place on the axis of time, from 0 to 1. Moments are evenly spaced, with other steps in between.
 * @param {number[]} steps of the moments @param {number} step
 */
export function placeOf(steps, step) {
  const last = steps.length - 1;
  if (last < 1) return 0;
  const after = Math.max(1, steps.findIndex((each) => each >= step));
  const to = step >= steps[last] ? last : after;
  const [low, high] = [steps[to - 1], steps[to]];
  return Math.min(1, (to - 1 + (step - low) / (high - low)) / last);
}

/**
 * The steps with labels at the axis: round numbers, far enough from each other.
 * @param {number[]} steps @param {number} width of the axis
 */
function ticksOf(steps, width) {
  const last = steps[steps.length - 1];
  /** @type {number[]} */
  const found = [0, last];
  for (const power of [1000, 100, 10, 1]) {
    for (const by of [5, 2, 1]) {
      for (let step = by * power; step < last && step <= 10 * power; step += by * power) {
        const x = placeOf(steps, step) * width;
        if (found.every((other) => Math.abs(placeOf(steps, other) * width - x) >= APART)) found.push(step);
      }
    }
  }
  return found.toSorted((a, b) => a - b);
}

/** @typedef {{ label: string, kind: string, points: [step: number, value: number][] }} Curve */
/** @typedef {{ title: string, top: number | null, curves: Curve[] }} Chart `top` is the end of its axis; null: by its
 *  values */

export const LEFT = 60; // pixels for the labels of the axis
export const RIGHT = 14;
const [ABOVE, BELOW, HEIGHT, LOWER] = [20, 6, 156, 128]; // LOWER: height on a small screen, or while presenting
const HALL = { low: 800, height: 100 }; // pixels: while presenting, the height on screens lower than `low`
const [NARROW, STACKED, LOW] = [480, 752, 700];
const [LETTER, LINE] = [5.7, 16]; // pixels: width of a letter in the legend, and height of a line
const APART = 44; // pixels between two labels of the axis, at least

/** @param {string} className @param {string} text @param {number} x @param {number} y */
function written(className, text, x, y) {
  const element = drawn("text", className, { x, y });
  element.textContent = text;
  return element;
}

export class Curves {
  constructor() {
    this.element = make("div", "curves");
    this.cursor = make("div", "cursor"); // moved by `transform`, so that the browser needs no new layout
    this.ticks = make("div", "ticks");
    this.left = LEFT;
    this.width = 1;
  }

  /** @param {Chart} chart @param {number[]} steps @param {number} width */
  draw({ title, top, curves }, steps, width) {
    this.left = width < NARROW ? 50 : LEFT;
    this.width = width - this.left - RIGHT;
    const height = heightIn(width);
    const svg = drawn("svg", "", { width, height, role: "img", "aria-label": title });
    const values = curves.flatMap(({ points }) => points.map(([, value]) => value));
    const most = top ?? Math.max(1e-9, ...values) * 1.05;
    const x = (/** @type {number} */ step) => this.left + placeOf(steps, step) * this.width;
    const { names, lines } = this.legend(curves);
    const above = ABOVE + LINE * (lines - 1);
    const inside = height - above - BELOW;
    const y = (/** @type {number} */ value) => above + inside * (1 - Math.min(1, Math.max(0, value / most)));
    for (const value of [0, most / 2, most]) {
      const text = top === 1 ? say("board.share.percent", { share: Math.round(100 * value) }) : short(value);
      svg.append(drawn("line", "rule", { x1: this.left, x2: this.left + this.width, y1: y(value), y2: y(value) }),
        written("at", text, this.left - 8, y(value) + 4));
    }
    /** @type {number[]} */
    const dots = []; // their heights: a dot that would cover another is drawn beside it
    for (const { kind, points } of curves) {
      if (!points.length) continue;
      const line = points.map(([step, value]) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
      svg.append(drawn("polyline", `curve ${kind}`, { points: line }));
      const [[step, value]] = points;
      if (points.length > 1) continue;
      const aside = 8 * dots.filter((each) => Math.abs(each - y(value)) < 8).length;
      svg.append(drawn("circle", `dot ${kind}`, { cx: x(step) + aside, cy: y(value), r: 3 }));
      dots.push(y(value));
    }
    svg.append(names);
    this.element.replaceChildren(svg, this.cursor);
    this.ticks.replaceChildren(...ticksOf(steps, this.width).map((step) => {
      const tick = make("span", "", [thousands(step)]);
      tick.style.left = `${x(step)}px`;
      return tick;
    }));
  }

  // The legend stands above the curves, at the right: each name with a piece of its line. A narrow chart needs several
  // lines.
  legend(/** @type {Curve[]} */ curves) {
    const names = drawn("g", "legend");
    const end = this.left + this.width;
    let [right, lines] = [end, 1];
    for (const { label, kind } of curves.toReversed()) {
      const wide = LETTER * label.length + 22;
      if (right < Math.min(end, wide)) [right, lines] = [end, lines + 1];
      const y = LINE * lines - 4;
      names.append(written("name", label, right, y),
        drawn("line", `curve ${kind}`, { x1: right - wide, x2: right - wide + 16, y1: y - 4, y2: y - 4 }));
      right -= wide + 16;
    }
    return { names, lines };
  }

  // Move the cursor to a place of the axis, from 0 to 1.
  point(/** @type {number} */ place) {
    this.cursor.style.transform = `translateX(${(this.left + place * this.width).toFixed(1)}px)`;
  }
}

function short(/** @type {number} */ value) {
  if (value === 0) return "0";
  if (value >= 1e4) return value.toExponential(0).replace("+", "");
  return value >= 100 ? value.toFixed(0) : value.toPrecision(2);
}

function heightIn(/** @type {number} */ width) {
  const { innerHeight: high } = window;
  if (document.documentElement.hasAttribute("data-presents")) return high < HALL.low ? HALL.height : LOWER;
  return width <= STACKED || high < LOW ? LOWER : HEIGHT;
}
