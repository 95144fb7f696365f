// The plane's first picture: the keys around a query, each as far along it as it reaches. That distance times the
// query's length is the score.

import { across, allFinite, arrow, axesOf, directionOf, drawnAt, lengthOf, line, placed, spotsOf, tipOf,
  viewOf } from "./plane_geometry.js";
import { rulersOf } from "./plane_labels.js";
import { pieceNamed } from "../cells/cell.js";
import { decimal, productOf, sign } from "../values/decimals.js";
import { isMasked } from "../values/dependencies.js";
import { listed } from "../values/most_read.js";
import { lineOf, valueAt } from "../values/matrices.js";
import { percent, written } from "../values/numbers.js";
import { dividedBy } from "../values/explain.js";
import { say } from "../../scripts/sentences.js";

// pixels: the width of an arrow for weight 0, and how much wider it is for weight 1
const WIDTHS = { least: 1, more: 13 };
const MARGIN = 14;
const DOT = 3;
const MEASURE = 10; // pixels between the query and the measure beside it
const TICK = 3;
const NAMED = 2; // how many words the text names if several reach equally far, and how many of a mix
// A share is explained only if the explanation's numbers give it to within this difference.
const SHARE = 1e-3;
const SAME = 1e-6; // relative to the farthest key: keys that reach no farther apart than this reach equally far

/** @typedef {Record<"query" | "weights" | "scores" | "drawn", number[]> & { keys: number[][],
 *  masked: boolean[] }} Row */

// What a query meets: its keys, and its scores and weights; `drawn` are the keys whose numbers are all finite.
/** @param {Trace} trace @param {number} query @returns {Row} */
export function rowOf(trace, query) {
  const { stages, matrices } = trace;
  const { q, k, scores, attention_weights: weights } = matrices;
  const all = Array.from({ length: k.rows }, (_, key) => key);
  const keys = all.map((key) => Array.from(lineOf(k, key)));
  return {
    query: Array.from(lineOf(q, query)), keys,
    weights: all.map((key) => valueAt(weights, query, key)),
    scores: all.map((key) => valueAt(scores, query, key)),
    masked: all.map((key) => isMasked(trace, stages.get("attention_weights"), query, key)),
    drawn: allFinite(lineOf(q, query)) ? all.filter((key) => allFinite(keys[key])) : [],
  };
}

/** @param {Trace} trace @param {number} query @param {Size} size @param {number} scale @param {View | null} kept
 *  @returns {Picture} */
export function pictureOfScores(trace, query, size, scale, kept) {
  const row = rowOf(trace, query);
  const direction = allFinite(row.query) ? directionOf(row.query) : null;
  const isPlane = row.query.length === 2;
  // A query of length 0 has no direction along which keys could reach; only with two features do they have axes of
  // their own.
  const keys = direction || isPlane ? row.drawn : [];
  const spots = spotsOf(row.query, keys.map((key) => row.keys[key]));
  const { tip } = allFinite(row.query) ? tipOf(row.query, spots) : { tip: /** @type {Point} */ ([0, 0]) };
  const points = [/** @type {Point} */ ([0, 0]), tip, ...spots.flatMap(({ at, foot }) => [at, foot])];
  const view = viewOf(points, size, MARGIN * scale, kept);
  const marks = keys.map((key, at) => markOf(view, key, spots[at], row.weights[key], scale));
  const end = placed(view, tip);
  const main = !allFinite(row.query) ? null : {
    path: direction ? arrow(view.origin, end, 3 * scale, scale) : dot(end, DOT * scale),
    at: end, radius: 3 * DOT * scale, label: say("board.plane.q", { token: rowNamed(trace, query, trace.labels) }),
  };
  const named = isPlane ? features(2) : [say("board.plane.rest"), null];
  return {
    view, hub: view.origin, marks, main, axis: direction ? across(view.origin, direction, size) : "",
    rulers: keys.length || main ? rulersOf(view, size, scale, named) : [],
  };
}

// A circle, for a query of length 0.
/** @param {Point} at @param {number} radius */
function dot([x, y], radius) {
  return `M${x - radius} ${y} a${radius} ${radius} 0 1 0 ${2 * radius} 0 a${radius} ${radius} 0 1 0 ${-2 * radius} 0 Z`;
}

function features(/** @type {number} */ count) {
  return Array.from({ length: count }, (_, column) => say("board.dock.feature", { column }));
}

/** @param {View} view @param {number} word @param {KeySpot} spot @param {number} weight @param {number} scale */
function markOf(view, word, spot, weight, scale) {
  const [at, foot] = [placed(view, spot.at), placed(view, spot.foot)];
  const width = widthOfWeight(weight, scale);
  return { word, at, foot, path: arrow(view.origin, at, width, scale), drop: line(at, foot), radius: DOT * scale, width,
    weight: Number.isFinite(weight) ? weight : 0 };
}

// The width of an arrow or a line, by its attention weight.
/** @param {number} weight @param {number} scale */
function widthOfWeight(weight, scale) {
  return scale * (WIDTHS.least + WIDTHS.more * (Number.isFinite(weight) ? weight : 0));
}

// A measure beside the query that shows how far along it a key reaches, on the side where the key isn't.
/** @param {View} view @param {number[]} query @param {number[]} key @param {number} scale */
export function reachLine(view, query, key, scale) {
  if (!allFinite(query) || !allFinite(key) || !directionOf(query)) return "";
  const [spot] = spotsOf(query, [key]);
  const [ux, uy] = directionOf(query) ?? [0, 0];
  const [x, y] = [uy, ux]; // to the right of the query, in pixels
  const side = (spot.at[0] - spot.foot[0]) * x - (spot.at[1] - spot.foot[1]) * y > 0 ? -1 : 1;
  /** @type {(point: Point, by: number) => Point} */
  const off = ([px, py], by) => [px + side * by * scale * x, py + side * by * scale * y];
  const [from, to] = [view.origin, placed(view, spot.foot)];
  const ticks = [from, to].map((end) => line(off(end, MEASURE - TICK), off(end, MEASURE + TICK)));
  return [line(off(from, MEASURE), off(to, MEASURE)), ...ticks].join(" ");
}

// The key whose reach the text states: the one that the pointer is on, else the first of those that reach farthest.
/** @param {Row} row @param {number | null} pointed @returns {{ key: number | null, farthest: number[] }} */
export function told(row, pointed) {
  const read = row.drawn.filter((key) => !row.masked[key]);
  if (!directionOf(row.query) || !allFinite(row.query)) return { key: null, farthest: [] };
  const reaches =
    new Map(spotsOf(row.query, read.map((key) => row.keys[key])).map(({ reach }, at) => [read[at], reach]));
  const most = Math.max(...reaches.values());
  const farthest = read.filter((key) => most - (reaches.get(key) ?? 0) <= SAME * Math.abs(most));
  return { key: pointed !== null && row.drawn.includes(pointed) ? pointed : (farthest[0] ?? null), farthest };
}

// The name of a query, and of the rows computed from it.
/** @param {Trace} trace @param {number} query */
export function rowNamed({ stages, names }, query, called = names) {
  return pieceNamed(stages.get("scores"), query, called);
}

/** @param {Trace} trace @param {number} key */
export function keyNamed({ stages, readNames }, key, called = readNames) {
  return pieceNamed(stages.get("scores"), key, called);
}

// The first picture in words.
/** @param {Trace} trace @param {number} query @param {number | null} pointed @param {number} digits
 *  @returns {PictureWords} */
export function scoresInWords(trace, query, pointed, digits) {
  const row = rowOf(trace, query);
  const token = rowNamed(trace, query);
  const notes = notesOf(row);
  const all = (/** @type {string} */ sentence) => ({ sentence, numbers: [], note: notes,
    alt: [sentence, notes].filter(Boolean).join(" ") });
  if (!allFinite(row.query)) return all(say("board.plane.infinite", { token }));
  if (!directionOf(row.query)) return all(say("board.plane.zero", { token }));
  const { key, farthest } = told(row, pointed);
  if (key === null) return all(say("board.plane.none", { token }));
  // one decimal more, so that the product's digits are right
  const write = (/** @type {number} */ value) => written(value, digits + 1);
  const reach = spotsOf(row.query, [row.keys[key]])[0].reach;
  const sentence = sentenceOf(trace, row, key, farthest, pointed === key, reach);
  const [length, along, score] = [write(lengthOf(row.query)), write(reach), written(row.scores[key], digits)];
  const equals = sign(productOf([decimal(length), decimal(along)]), score);
  const numbers = [{ text: length, role: "q" }, { text: ` × ${along.startsWith("−") ? `(${along})` : along}`,
    role: "k" }, { text: ` ${equals} ${score}`, role: "a" }];
  const note = [onToShare(trace, query, key), notes].filter(Boolean).join(" ");
  const alt = [say("board.plane.alt", { token, length }), `${sentence} ${numbers.map(({ text }) => text).join("")}.`,
    note];
  return { sentence, numbers, note, alt: alt.filter(Boolean).join(" ") };
}

// How a score becomes its share, if it's divided and then shared out by a softmax; else blank.
/** @param {Trace} trace @param {number} query @param {number} key */
function onToShare({ stages, matrices: { scores, scaled_scores: scaled, attention_weights: weights } }, query, key) {
  const { settings } = stages.get("scaled_scores") ?? {};
  const by = settings && dividedBy(settings);
  if (!by) return "";
  const e = [...lineOf(scaled, query)].map(Math.exp);
  const all = e.reduce((sum, each) => sum + each);
  const score = valueAt(scaled, query, key);
  const apart = valueAt(scores, query, key) - score * Math.sqrt(settings.d_k || 1) * settings.temperature;
  const share = valueAt(weights, query, key);
  if (!(Math.abs(e[key] / all - share) + Math.abs(apart) < SHARE)) return "";
  // four decimals, so that readers can check the division by hand
  const whole = written(valueAt(scores, query, key), 4);
  return say("board.plane.scaled", { whole, by, score: written(score, 4), e: written(e[key], 2), sum: written(all, 2),
    share: percent(share) });
}

/** @param {Trace} trace @param {Row} row @param {number} key @param {number[]} farthest @param {boolean} pointed
 *  @param {number} reach */
function sentenceOf(trace, row, key, farthest, pointed, reach) {
  const name = keyNamed(trace, key);
  const read = row.masked.filter((each) => !each).length;
  if (pointed || read === 1) {
    const kind = row.masked[key] ? "masked_key" : reach > 0 ? "reaches" : reach < 0 ? "against" : "aside";
    return say(`board.plane.${kind}`, { key: name });
  }
  if (farthest.length === read) return say("board.plane.equally", { count: read });
  if (farthest.length > 1)
    return say("board.plane.several", { keys: listed(farthest
      .map((each) => say("board.named", { token: keyNamed(trace, each) })), NAMED) });
  return say("board.plane.farthest", { key: name });
}

function notesOf(/** @type {Row} */ row) {
  const left = allFinite(row.query) ? row.keys.length - row.drawn.length : 0;
  const cut = allFinite(row.query) && tipOf(row.query, spotsOf(row.query, row.drawn.map((key) => row.keys[key]))).cut;
  return [
    left ? say("board.plane.left_out", { n: left }) : "",
    cut ? say("board.plane.cut") : "",
    row.masked.some(Boolean) ? say("board.plane.masked") : "",
  ].filter(Boolean).join(" ");
}

// The second picture of the plane: values as points, and the context where the attention weights put it.

// pixels: the radius of a point for weight 0, and how much larger it is for weight 1
const DOTS = { least: 2.5, more: 13 };
const AROUND_MIX = 18;

// The values whose numbers are all finite, the axes that they are drawn on, and the context; null if that isn't finite.
/** @param {Trace} trace @param {number} query @param {Axes | null} before */
export function mixOf(trace, query, before) {
  const { v, context } = trace.matrices;
  const all = Array.from({ length: v.rows }, (_, row) => row);
  const values = all.map((row) => Array.from(lineOf(v, row)));
  const drawn = all.filter((row) => allFinite(values[row]));
  const axes = drawn.length ? axesOf(drawn.map((row) => values[row]), before) : null;
  const mixed = Array.from(lineOf(context, query));
  return { values, drawn, axes, context: allFinite(mixed) && drawn.length ? mixed : null };
}

/** @param {Trace} trace @param {number} query @param {Size} size @param {number} scale @param {View | null} kept
 *  @param {ReturnType<typeof mixOf>} mix @returns {Picture} */
export function pictureOfMix(trace, query, size, scale, kept, { values, drawn, axes, context }) {
  const { weights } = rowOf(trace, query);
  const spots = axes ? drawn.map((row) => drawnAt(axes, values[row])) : [];
  const mixed = axes && context ? drawnAt(axes, context) : null;
  const view = viewOf(spots.length ? [...spots, ...(mixed ? [mixed] : [])] : [[0, 0]], size, AROUND_MIX * scale, kept);
  const to = mixed && placed(view, mixed);
  const marks = drawn.map((word, at) => {
    const from = placed(view, spots[at]);
    const weight = Number.isFinite(weights[word]) ? weights[word] : 0;
    return {
      word, at: from, foot: from, path: to && weight > 0 ? line(from, to) : "", drop: "", weight,
      width: widthOfWeight(weight, scale), radius: scale * (DOTS.least + DOTS.more * Math.sqrt(weight)),
    };
  });
  const named = trace.matrices.v.columns <= 2 ? features(trace.matrices.v.columns) : [];
  return {
    view, hub: to ?? view.origin, marks, axis: "",
    rulers: spots.length ? rulersOf(view, size, scale, named) : [],
    main: to && { path: diamond(to, 7 * scale), at: to, radius: 7 * scale,
      label: say("board.plane.context", { token: rowNamed(trace, query, trace.labels) }) },
  };
}

/** @param {Point} at @param {number} radius */
function diamond([x, y], radius) {
  return `M${x} ${y - radius} L${x + radius} ${y} L${x} ${y + radius} L${x - radius} ${y} Z`;
}

// The second picture in words.
/** @param {Trace} trace @param {number} query @param {number | null} pointed @param {ReturnType<typeof mixOf>} mix
 *  @returns {PictureWords} */
export function mixInWords(trace, query, pointed, { values, drawn, axes, context }) {
  const { weights, masked } = rowOf(trace, query);
  const token = rowNamed(trace, query);
  const left = values.length - drawn.length;
  const note = [
    left ? say("board.plane.left_out_values", { n: left }) : "",
    axes && axes.axes[0].length > 2 ? say(axes.share === null ? "board.plane.same" : "board.plane.axes",
      { share: percent(axes.share ?? 0) }) : "",
    masked.some(Boolean) ? say("board.plane.masked") : "",
  ].filter(Boolean).join(" ");
  const all = (/** @type {string} */ sentence, /** @type {PictureWords["numbers"]} */ numbers) => {
    const alt = [sentence + (numbers.length ? ` ${numbers.map(({ text }) => text).join("")}.` : ""), note]
      .filter(Boolean).join(" ");
    return { sentence, numbers, note, alt };
  };
  if (!context || !weights.every(Number.isFinite)) return all(say("board.plane.no_context", { token }), []);
  if (pointed !== null && masked[pointed])
    return all(say("board.plane.masked_key", { key: keyNamed(trace, pointed) }), []);
  if (pointed !== null)
    return all(say("board.plane.gives", { key: keyNamed(trace, pointed), share: percent(weights[pointed]) }), []);
  const largest = weights.map((weight, key) => ({ weight, key })).filter(({ key }) => !masked[key])
    .toSorted((a, b) => b.weight - a.weight || a.key - b.key);
  const parts = largest.slice(0, NAMED).flatMap(({ weight, key }, at) =>
    [{ text: `${at ? " + " : ""}${percent(weight)}`, role: "a" }, { text: ` ${keyNamed(trace, key)}`, role: "v" }]);
  return all(say("board.plane.mixed", { token }),
    [...parts, ...(largest.length > NAMED ? [{ text: " + …", role: "a" }] : [])]);
}
