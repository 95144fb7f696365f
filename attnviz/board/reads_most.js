// What a token reads most, said of the board's own numbers, so that the page's sentence follows while one of them is
// dragged: what `attends_most` of attnviz/explanation/summary.py says of torch's. A test holds the two together.

import { written } from "./numbers.js";
import { CONSTANTS } from "../scripts/sent.js";
import { say } from "../scripts/sentences.js";

/** @import { Made } from "./types.js" */

const SAME = Math.fround(CONSTANTS.SAME); // as torch compares
const { NAMED } = CONSTANTS;

/** @param {Made} made @param {number} query */
export function readsMost({ names, digits, settings, matrices }, query) {
  const { columns: count, values } = matrices.attention_weights;
  const row = Array.from(values.slice(query * count, (query + 1) * count));
  const token = names[query];
  if (row.some(Number.isNaN)) return say("summary.reads.undefined", { token });
  const reach = settings.causal ? query + 1 : count;
  const largest = Math.max(...row);
  const weight = written(largest, digits);
  if (reach === 1) return say(count > 1 ? "summary.reads.first" : "summary.reads.alone", { token, weight });
  const isLargest = (/** @type {number} */ value) => Math.fround(largest - value) < SAME && written(value, digits) === weight;
  const ties = Array.from({ length: reach }, (_, key) => key).filter((key) => isLargest(row[key]));
  if (ties.length === reach) {
    const both = reach === 2 ? "_both" : "";
    if (settings.causal && reach < count) return say(`summary.reads.equally_masked${both}`, { token, weight });
    return say(`summary.reads.equally${both}`, { token, count, weight });
  }
  const even = written(1 / reach, digits);
  const kind = (even === weight ? "barely" : "most") + (ties.length > 1 ? "_each" : "");
  return say(`summary.reads.${kind}`, { token, names: namesOf(names, query, ties), weight, even });
}

/** @param {string[]} labels @param {number} query @param {number[]} keys */
function namesOf(labels, query, keys) {
  const names = keys.map((key) => (key === query ? say("summary.itself") : say("summary.named", { token: labels[key] })));
  if (names.length > NAMED) return say("summary.more", { names: names.slice(0, NAMED).join(", "), rest: names.length - NAMED });
  return names.length > 1 ? say("summary.and", { first: names.slice(0, -1).join(", "), last: names[names.length - 1] }) : names[0];
}
