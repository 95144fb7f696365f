// Curves over the time of a training, with one cursor through them.

import { make } from "../../../board/cells/elements.js";
import { say } from "../../../scripts/sentences.js";
import { placeOf, ticksOf } from "./moments.js";

/** @typedef {{ label: string, kind: string, points: [step: number, value: number][] }} Curve */
/** @typedef {{ title: string, top: number | null, curves: Curve[] }} Chart `top` of its axis; null where its values
 *  say it */

const SVG = "http://www.w3.org/2000/svg";
export const LEFT = 60; // pixels for what stands at the axis
export const RIGHT = 14;
const [ABOVE, BELOW, HEIGHT, LOWER] = [20, 6, 156, 128]; // the last on a telephone
const NARROW = 480;
const LETTER = 5.7; // pixels of one in the legend

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
    this.ticks = make("div", "ticks");
    this.left = LEFT;
    this.width = 1;
  }

  /** @param {Chart} chart @param {number[]} steps @param {number} width */
  draw({ title, top, curves }, steps, width) {
    this.left = width < NARROW ? 42 : LEFT;
    this.width = width - this.left - RIGHT;
    const height = width < NARROW ? LOWER : HEIGHT;
    const svg = drawn("svg", { width, height, role: "img", "aria-label": title });
    const values = curves.flatMap(({ points }) => points.map(([, value]) => value));
    const most = top ?? Math.max(1e-9, ...values) * 1.05;
    const x = (/** @type {number} */ step) => this.left + placeOf(steps, step) * this.width;
    const inside = height - ABOVE - BELOW;
    const y = (/** @type {number} */ value) => ABOVE + inside * (1 - Math.min(1, Math.max(0, value / most)));
    for (const value of [0, most / 2, most]) {
      svg.append(drawn("line",
        { x1: this.left, x2: this.left + this.width, y1: y(value), y2: y(value), class: "rule" }));
      const text = top === 1 ? say("board.share.percent", { share: Math.round(100 * value) }) : short(value);
      svg.append(drawn("text", { x: this.left - 8, y: y(value) + 4, class: "at" }, text));
    }
    for (const { kind, points } of curves) {
      if (!points.length) continue;
      const line = points.map(([step, value]) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
      svg.append(drawn("polyline", { class: `curve ${kind}`, points: line }));
      const [[step, value]] = points;
      if (points.length === 1) svg.append(drawn("circle", { class: `dot ${kind}`, cx: x(step), cy: y(value), r: 2.5 }));
    }
    svg.append(this.legend(curves));
    this.element.replaceChildren(svg, this.cursor);
    this.ticks.replaceChildren(...ticksOf(steps, this.width).map((step) => {
      const tick = make("span", "", [step.toLocaleString("en")]);
      tick.style.left = `${x(step)}px`;
      return tick;
    }));
  }

  // At the right, over the curves, each name with a piece of its line.
  /** @param {Curve[]} curves */
  legend(curves) {
    const group = drawn("g", { class: "legend" });
    let right = this.left + this.width;
    for (const { label, kind } of curves.toReversed()) {
      const wide = LETTER * label.length;
      group.append(drawn("text", { x: right, y: 12, class: "name" }, label));
      group.append(drawn("line",
        { x1: right - wide - 22, x2: right - wide - 6, y1: 8, y2: 8, class: `curve ${kind}` }));
      right -= wide + 38;
    }
    return group;
  }

  // Move the cursor to a place of the axis, from 0 to 1.
  /** @param {number} place */
  point(place) {
    this.cursor.style.transform = `translateX(${(this.left + place * this.width).toFixed(1)}px)`;
  }
}

/** @param {number} value */
function short(value) {
  if (value === 0) return "0";
  if (value >= 1e4) return value.toExponential(0).replace("+", "");
  return value >= 100 ? value.toFixed(0) : value.toPrecision(2);
}
