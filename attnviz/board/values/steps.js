// A cell's written arithmetic, step by step; core/rules/explaining/steps.py does the same in Python.

import { CONSTANTS } from "../../scripts/sent.js";
import { say } from "../../scripts/sentences.js";
import { grouped, moreWritten } from "../cells/cell.js";
import { decimal, decimalOf, numberIn, productOf, ratioOf, rootOf, sign, signOfAll, sumOf } from "./decimals.js";
import { FUNCTIONS, indexOf, SAME, termsOf, worked } from "./declared.js";
import { numberOf, total } from "./numbers.js";

/** @import { At } from "./declared.js" */

/**
 * A part of written arithmetic. Neither a number, whose `op` is "", nor the remainder of a long sum, "more", has parts.
 * @typedef {{ op: string, value: number, parts: Part[], text: string, ofTerms?: boolean }} Part
 */

/** @type {Record<string, (of: string) => string>} */
const WRITTEN = {
  exp: (of) => `exp(${of})`, ln: (of) => `ln(${of})`, tanh: (of) => `tanh(${of})`, normal: (of) => `Φ(${of})`,
  positive: (of) => `max(0, ${of})`, root: (of) => `√${of}`,
};
const UNWRITTEN = ["rounded", "level", "lasting"];
const NUMBERS = ["at", "as_number", "index", "entry", "power"];

// The steps from an expression to its number.
/** @param {MadeCell} cell @param {At} at @param {Expression} node */
export function stepsOf(cell, at, node) {
  const writing = new Writing(cell, at);
  const last = cell.value;
  if (node[0] !== "hidden" && node[0] !== "weighed") return writing.steps(writing.tree(node, 0), last);
  const [inner, mask] = [writing.tree(node[1], 0), worked(node[2])(at, 0)];
  if (cell.masked) return [...writing.steps(inner, inner.value), `→ −∞ ${say("explanation.step.masked")}`];
  if (mask === 0) return writing.steps(inner, last);
  if (node[0] === "hidden")
    return writing.steps({ op: "+", value: last, parts: [inner, writing.number(mask)], text: "" }, last);
  return writing.steps({ op: "*", value: last, parts: [writing.number(inner.value), writing.number(Math.exp(mask))],
    text: "" }, last);
}

/** @param {Part} part */
const isNumber = ({ op }) => op === "" || op === "more";

class Writing {
  /** @param {MadeCell} cell @param {At} at */
  constructor(cell, at) {
    this.cell = cell;
    this.at = at;
  }

  /** @param {Part} tree @param {number} last */
  steps(tree, last) {
    if (tree.op === "") return [this.cell.write(last)];
    const said = [this.text(tree)];
    for (let part = tree; part.op !== ""; ) {
      /** @type {[Decimal | null, string][]} */
      const signs = [];
      const next = this.reduced(part, signs);
      const text = next.op === "" ? this.cell.write(last) : this.text(next);
      const between = next.op === "" ? sign(this.exact(part), text)
        : signOfAll(signs.map(([left]) => left), signs.map(([, right]) => right));
      said.push(`${between} ${text}`);
      part = next;
    }
    return said;
  }

  /** @param {number} value @returns {Part} */
  number(value, text = this.cell.write(value)) {
    return { op: "", value, parts: [], text };
  }

  /** @param {Expression} node @param {number} k @returns {Part} */
  tree(node, k) {
    const [op, ...rest] = node;
    if (UNWRITTEN.includes(op)) return this.tree(rest[0], k);
    if (op === "number") return this.number(rest[0], rest[1]);
    if (NUMBERS.includes(op)) return this.number(worked(node)(this.at, k));
    if (op === "sum") return this.sum(node);
    const parts = rest.map((each) => this.tree(each, k));
    const flat = op === "+" ? parts.flatMap((part) => (part.op === "+" ? part.parts : [part])) : parts;
    return { op, value: worked(node)(this.at, k), parts: flat, text: "",
      ofTerms: rest.some(([each]) => each === "sum") };
  }

  /** @param {Expression} node @returns {Part} */
  sum(node) {
    const [, n, each, keep] = node;
    const all = termsOf(node, this.at).map((value, k) => ({ value, factors: k < n ? [k] : [], count: 1 }));
    const parts = shortened(all, keep ? indexOf(keep)(this.at, 0) : null).map(({ value, factors, count }) =>
      factors.length ? this.tree(each, factors[0])
        : { op: "more", value, parts: [], text: moreWritten(this.cell, value, count) },
    );
    return parts.length === 1 ? parts[0] : { op: "+", value: worked(node)(this.at, 0), parts, text: "", ofTerms: true };
  }

  /** @param {Part} part @returns {string} */
  text(part) {
    const { op } = part;
    if (isNumber(part)) return part.text;
    const texts = part.parts.map((each) => this.text(each));
    if (WRITTEN[op]) return WRITTEN[op](texts[0]);
    if (op === "+") return inSum(texts);
    if (op === "-") return inSum([texts[0], negated(texts[1])]);
    if (op === "*") return texts.map(grouped).join(" × ");
    if (op !== "/") return texts[0]; // the remaining operation is at_once
    const [above, below] = part.parts.map((each) => innermost(each).op);
    const divided = above === "*" ? `(${texts[0]})` : texts[0];
    return `${divided} / ${below === "+" || below === "*" ? `(${texts[1]})` : texts[1]}`;
  }

  /** @param {Part} part @returns {Decimal | null} */
  exact(part) {
    const { op } = part;
    if (isNumber(part)) return decimal(op ? this.cell.write(part.value) : part.text);
    const parts = part.parts.map((each) => this.exact(each));
    if (op === "+") return sumOf(parts);
    if (op === "-") return sumOf([parts[0], productOf([parts[1], { digits: -1n, power: 0 }])]);
    if (op === "*") return productOf(parts);
    if (op === "/") return ratioOf(parts[0], parts[1]);
    if (op === "root") return rootOf(part.parts[0].value);
    if (SAME.includes(op)) return parts[0];
    const [of] = part.parts;
    return decimalOf(FUNCTIONS[op](parts[0] ? numberIn(parts[0]) : of.op === "" ? numberOf(of.text) : of.value));
  }

  // Replace the innermost parts of an expression by their numbers. `signs` collects pairs of an exact value and a text,
  // from which the sign between the two steps is chosen.
  /** @param {Part} part @param {[Decimal | null, string][]} signs @returns {Part} */
  reduced(part, signs) {
    if (part.op === "") return part;
    if (part.op === "at_once" || part.parts.every(isNumber)) {
      const next = this.number(part.value);
      signs.push([this.exact(part), next.text]);
      return next;
    }
    if (part.ofTerms) for (const each of part.parts) if (each.op === "") signs.push([this.exact(each), each.text]);
    return { ...part, parts: part.parts.map((each) => this.reduced(each, signs)) };
  }
}

/** @param {Part} part @returns {Part} */
function innermost(part) {
  return part.op === "at_once" ? innermost(part.parts[0]) : part;
}

// A displayed number with the opposite sign.
function negated(/** @type {string} */ text) {
  if (text === "NaN") return text;
  return text.startsWith("−") ? text.slice(1) : `−${text}`;
}

// Sums as the page writes them; long ones are shortened.

export function inSum(/** @type {string[]} */ terms) {
  return terms[0] + terms.slice(1).map((term) => (term.startsWith("−") ? ` − ${term.slice(1)}` : ` + ${term}`))
    .join("");
}

const { LONG } = CONSTANTS;

// The terms in their order; of a long sum only the largest, then the remainder. The term at `keep` is always among
// them.
/** @template Factor @param {Term<Factor>[]} terms @param {number | null} keep @returns {Term<Factor>[]} */
export function shortened(terms, keep = null) {
  if (terms.length <= LONG) return terms;
  const size = (/** @type {Term<Factor>} */ { value }) => (Number.isNaN(value) ? Infinity : Math.abs(value));
  const places = terms.map((_, place) => place)
    .toSorted((a, b) => Math.sign(size(terms[b]) - size(terms[a]) || 0) || a - b);
  const shown = new Set(places.slice(0, LONG - 1));
  if (keep !== null) shown.add(keep);
  const rest = terms.filter((_, place) => !shown.has(place));
  if (rest.length === 1) return terms; // a single term takes no more room than a remainder
  const remainder = { value: total(rest.map((term) => term.value)), factors: [], count: rest.length };
  return [...terms.filter((_, place) => shown.has(place)), remainder];
}
