// How the context row of the query is built: the contribution of each token, stacked, feature by feature.

import { make, toggle } from "./elements.js";
import { valueAt } from "./matrices.js";
import { written } from "./numbers.js";
import { say } from "../scripts/sentences.js";

/** @import { BoardData, Matrix } from "./types.js" */

export class Mix {
  constructor() {
    this.title = make("div", "title");
    this.bars = make("div", "bars");
    this.hatched = make("div", "hatched");
    this.structure = ""; // of what is built
    this.element = make("div", "mix", [this.title, this.bars, this.hatched]);
  }

  // What is said to a screen reader waits while a cell is dragged.
  /** @param {BoardData} data @param {Matrix} weights @param {Matrix} values @param {Matrix} contexts @param {boolean} aloud */
  show({ labels, query, digits }, weights, values, contexts, aloud) {
    const structure = JSON.stringify([labels, values.columns]);
    if (structure !== this.structure) this.build(structure, labels, values.columns);
    const terms = Array.from({ length: values.columns }, (_, feature) =>
      labels.map((label, token) => valueAt(weights, query, token) * valueAt(values, token, feature)),
    );
    const most = Math.max(...terms.map((each) => each.reduce((sum, value) => sum + Math.abs(value), 0)));
    terms.forEach((each, feature) => {
      const sum = written(valueAt(contexts, query, feature), digits); // the cell's own number, to its last digit
      this.showBar(this.bars.children[feature], each, sum, most, labels, digits);
      if (aloud) this.nameBar(feature, each, sum, labels, digits);
    });
    this.showTitle(labels[query], terms.flat().some((value) => value < 0));
  }

  /** @param {string} token @param {boolean} negative */
  showTitle(token, negative) {
    const called = say("board.mix.title", { token });
    const says = say("board.mix.parts");
    if (this.title.textContent !== called + says) this.title.replaceChildren(make("b", "", [called]), says);
    const hatched = negative ? say("board.mix.negative") : "";
    if (this.hatched.textContent !== hatched) this.hatched.textContent = hatched;
  }

  /** @param {string} structure @param {string[]} labels @param {number} columns */
  build(structure, labels, columns) {
    this.structure = structure;
    const bars = Array.from({ length: columns }, (_, feature) => {
      const stack = make("div", "stack", labels.map((label) => make("span", "part", [label])));
      const bar = make("div", "bar", [make("span", "label beside", [String(feature)]), stack, make("span", "sum")]);
      bar.setAttribute("role", "img");
      return bar;
    });
    this.bars.replaceChildren(...bars);
  }

  /** @param {number} feature @param {number[]} terms @param {string} sum @param {string[]} labels @param {number} digits */
  nameBar(feature, terms, sum, labels, digits) {
    const parts = terms.map((value, token) => `${labels[token]} ${written(value, digits)}`);
    const name = say("board.mix.bar", { index: feature, sum, parts: parts.join(", ") });
    const bar = this.bars.children[feature];
    if (bar.getAttribute("aria-label") !== name) bar.setAttribute("aria-label", name);
  }

  /** @param {Element} bar @param {number[]} terms @param {string} sum @param {number} most @param {string[]} labels @param {number} digits */
  showBar(bar, terms, sum, most, labels, digits) {
    const [, stack, told] = bar.children;
    terms.forEach((value, token) => {
      const part = /** @type {HTMLElement & { value?: number, most?: number }} */ (stack.children[token]);
      if (part.value === value && part.most === most) return;
      Object.assign(part, { value, most });
      // Rounded, so that torch's last digits lay out nothing anew.
      part.style.width = `${most > 0 ? Math.round((10000 * Math.abs(value)) / most) / 100 : 0}%`;
      part.title = say("board.mix.part", { token: labels[token], value: written(value, digits) });
      toggle(part, "negative", value < 0); // these stand last in their bar
    });
    if (told.textContent !== sum) told.textContent = sum;
  }
}
