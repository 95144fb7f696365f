// Curves over the time of a training, with one cursor through all.

import { make } from "../../../board/cells/elements.js";
import { placeOf, ticksOf } from "./moments.js";

/** @typedef {{ label: string, kind: string, points: [step: number, value: number][] }} Curve */
/** @typedef {{ title: string, top: number | null, height: number, curves: Curve[] }} Chart `top` of its axis; null where its values say it */

const SVG = "http://www.w3.org/2000/svg";
export const LEFT = 46; // pixels for what stands at the axis
export const RIGHT = 14;
const [ABOVE, BELOW] = [24, 8];
const NARROW = 480; // where the names of curves take a line of their own
const LINE = 18;
const AXIS = 20;
const [SHORT_WINDOW, LOWER] = [850, 28]; // of a laptop, where the board under the curves is to be seen, too

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} text */
function drawn(tag, attributes, text = "") {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  if (text) element.textContent = text;
  return element;
}

export class Curves {
  constructor() {
    this.element = make("div", "curves");
    this.cursor = make("div", "cursor"); // moved by transform alone: nothing is laid out or drawn anew
    this.width = 1;
  }

  /** @param {Chart[]} charts @param {number[]} steps @param {number} width @param {number} beside how high what stands beside them is */
  draw(charts, steps, width, beside) {
    this.width = width - LEFT - RIGHT;
    const less = this.less(charts, width, beside);
    const svgs = charts.map((chart, at) => this.chart({ ...chart, height: chart.height - less }, steps, width, at === charts.length - 1));
    this.element.replaceChildren(...svgs, this.cursor);
  }

  // By how much each is lower where the board is to be seen under them, too: no lower than what stands beside them.
  /** @param {Chart[]} charts @param {number} width @param {number} beside */
  less(charts, width, beside) {
    if (window.innerHeight >= SHORT_WINDOW || width < NARROW) return 0;
    const free = charts.reduce((sum, { height }) => sum + height, AXIS) - beside;
    return Math.round(Math.min(LOWER, Math.max(0, free / charts.length)));
  }

  /** @param {Chart} chart @param {number[]} steps @param {number} width @param {boolean} last */
  chart({ title, top, height, curves }, steps, width, last) {
    const lower = width < NARROW ? LINE : 0;
    const svg = drawn("svg", { width, height: height + lower + (last ? AXIS : 0), role: "img", "aria-label": title });
    const values = curves.flatMap(({ points }) => points.map(([, value]) => value)).filter(Number.isFinite);
    const most = top ?? Math.max(1e-9, ...values) * 1.05;
    const inside = height - ABOVE - BELOW;
    const x = (/** @type {number} */ step) => LEFT + placeOf(steps, step) * this.width;
    const y = (/** @type {number} */ value) => ABOVE + lower + inside * (1 - Math.min(1, Math.max(0, value / most)));
    svg.append(drawn("text", { x: LEFT, y: 13, class: "title" }, title));
    for (const value of [0, most / 2, most]) {
      svg.append(drawn("line", { x1: LEFT, x2: LEFT + this.width, y1: y(value), y2: y(value), class: "rule" }));
      svg.append(drawn("text", { x: LEFT - 6, y: y(value) + 4, class: "at" }, top === 1 ? `${Math.round(100 * value)} %` : short(value)));
    }
    for (const { kind, points } of curves) {
      const seen = points.filter(([, value]) => Number.isFinite(value));
      if (!seen.length) continue;
      svg.append(drawn("polyline", { class: `curve ${kind}`, points: seen.map(([step, value]) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(" ") }));
      if (seen.length === 1) svg.append(drawn("circle", { class: `dot ${kind}`, cx: x(seen[0][0]), cy: y(seen[0][1]), r: 2.5 }));
    }
    svg.append(this.legend(curves, 13 + lower));
    if (last) for (const step of ticksOf(steps, this.width)) svg.append(drawn("text", { x: x(step), y: height + lower + 13, class: "step" }, step.toLocaleString("en")));
    return svg;
  }

  // At the right, over the curves, each name with a piece of its line.
  /** @param {Curve[]} curves @param {number} y */
  legend(curves, y) {
    const group = drawn("g", { class: "legend" });
    let right = LEFT + this.width - 6;
    for (const { label, kind } of curves.toReversed()) {
      const wide = 5.6 * label.length;
      group.append(drawn("text", { x: right, y, class: "name" }, label));
      group.append(drawn("line", { x1: right - wide - 24, x2: right - wide - 8, y1: y - 4, y2: y - 4, class: `curve ${kind}` }));
      right -= wide + 40;
    }
    return group;
  }

  // Move the cursor to a place of the axis, from 0 to 1.
  /** @param {number} place */
  point(place) {
    this.cursor.style.transform = `translateX(${(LEFT + place * this.width).toFixed(1)}px)`;
  }
}

/** @param {number} value */
function short(value) {
  if (value === 0) return "0";
  if (value >= 1e4) return value.toExponential(0).replace("+", "");
  return value >= 100 ? value.toFixed(0) : value.toPrecision(2);
}
