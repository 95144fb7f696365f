// The second picture of the plane: values as points, and the context where the attention weights put it.

import { lineOf } from "../values/matrices.js";
import { percent } from "../values/reads_most.js";
import { allFinite, line, placed, viewOf } from "./plane_geometry.js";
import { axesOf, drawnAt } from "./plane_axes.js";
import { rulersOf } from "./plane_rulers.js";
import { features, keyNamed, rowNamed, rowOf, widthOfWeight } from "./plane_scores.js";
import { say } from "../../scripts/sentences.js";

/** @import { Made } from "../types.js" */
/** @import { Axes, Picture, Point, Size, Told, View } from "./plane_types.js" */

const DOTS = { least: 2.5, more: 13 }; // pixels of a point's radius for no weight, and how many more for the whole
const MARGIN = 18;
const NAMED = 2; // words whose shares are told

// Values whose numbers are all finite, the axes that they are drawn on, and the context, null where it isn't finite.
/** @param {Made} made @param {number} query @param {Axes | null} before */
export function mixOf(made, query, before) {
  const { v, context } = made.matrices;
  const all = Array.from({ length: v.rows }, (_, row) => row);
  const values = all.map((row) => Array.from(lineOf(v, row)));
  const drawn = all.filter((row) => allFinite(values[row]));
  const axes = drawn.length ? axesOf(drawn.map((row) => values[row]), before) : null;
  const mixed = Array.from(lineOf(context, query));
  return { values, drawn, axes, context: allFinite(mixed) && drawn.length ? mixed : null };
}

/** @param {Made} made @param {number} query @param {Size} size @param {number} scale @param {View | null} kept @param {ReturnType<typeof mixOf>} mix @returns {Picture} */
export function pictureOfMix(made, query, size, scale, kept, { values, drawn, axes, context }) {
  const { weights } = rowOf(made, query);
  const spots = axes ? drawn.map((row) => drawnAt(axes, values[row])) : [];
  const mixed = axes && context ? drawnAt(axes, context) : null;
  const view = viewOf(spots.length ? [...spots, ...(mixed ? [mixed] : [])] : [[0, 0]], size, MARGIN * scale, kept);
  const to = mixed && placed(view, mixed);
  const marks = drawn.map((word, at) => {
    const from = placed(view, spots[at]);
    const weight = Number.isFinite(weights[word]) ? weights[word] : 0;
    return {
      word, at: from, foot: from, path: to && weight > 0 ? line(from, to) : "", drop: "", weight,
      width: widthOfWeight(weight, scale), radius: scale * (DOTS.least + DOTS.more * Math.sqrt(weight)),
    };
  });
  const named = made.matrices.v.columns <= 2 ? features(made, made.matrices.v.columns) : [];
  return {
    view, hub: to ?? view.origin, marks, axis: "", rulers: spots.length ? rulersOf(view, size, scale, named) : [],
    main: to && { path: diamond(to, 7 * scale), at: to, radius: 7 * scale, label: say("board.plane.context", { token: rowNamed(made, query, made.labels) }) },
  };
}

/** @param {Point} at @param {number} radius */
function diamond([x, y], radius) {
  return `M${x} ${y - radius} L${x + radius} ${y} L${x} ${y + radius} L${x - radius} ${y} Z`;
}

// The picture in words.
/** @param {Made} made @param {number} query @param {number | null} pointed @param {ReturnType<typeof mixOf>} mix @returns {Told} */
export function mixInWords(made, query, pointed, { values, drawn, axes, context }) {
  const { weights, masked } = rowOf(made, query);
  const token = rowNamed(made, query);
  const left = values.length - drawn.length;
  const note = [
    left ? say("board.plane.left_out_values", { n: left }) : "",
    axes && axes.axes[0].length > 2 ? say(axes.share === null ? "board.plane.same" : "board.plane.axes", { share: percent(axes.share ?? 0) }) : "",
    masked.some(Boolean) ? say("board.plane.masked") : "",
  ].filter(Boolean).join(" ");
  const all = (/** @type {string} */ sentence, /** @type {Told["numbers"]} */ numbers) => {
    const alt = [sentence + (numbers.length ? ` ${numbers.map(({ text }) => text).join("")}.` : ""), note].filter(Boolean).join(" ");
    return { sentence, numbers, note, alt };
  };
  if (!context || !weights.every(Number.isFinite)) return all(say("board.plane.no_context", { token }), []);
  if (pointed !== null && masked[pointed]) return all(say("board.plane.masked_key", { key: keyNamed(made, pointed) }), []);
  if (pointed !== null) return all(say("board.plane.gives", { key: keyNamed(made, pointed), share: percent(weights[pointed]) }), []);
  const largest = weights.map((weight, key) => ({ weight, key })).filter(({ key }) => !masked[key]).toSorted((a, b) => b.weight - a.weight || a.key - b.key);
  const parts = largest.slice(0, NAMED).flatMap(({ weight, key }, at) => [{ text: `${at ? " + " : ""}${percent(weight)}`, role: "a" }, { text: ` ${keyNamed(made, key)}`, role: "v" }]);
  return all(say("board.plane.mixed", { token }), [...parts, ...(largest.length > NAMED ? [{ text: " + …", role: "a" }] : [])]);
}
