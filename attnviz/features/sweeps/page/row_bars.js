// Rows of attention weights as bars, side by side, and a slider of d, the width of queries and keys. Python sends the
// numbers of every d with the drawing, so that the bars follow the slider at once. If the page's query holds d, the
// slider changes the query, which the page sends to the server once the reader pauses.

import { make, onTheme, themeOf, UNSEEN, write } from "../../../board/cells/elements.js";
import { percent } from "../../../board/values/numbers.js";
import { say } from "../../../scripts/sentences.js";
import { isOf, stateOf, partOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{ light: string, dark: string }} Tone */
/**
 * One row for each d: its title, a text about it, both for screen readers, and its weights.
 * @typedef {{ tone: Tone, rows: { title: string, told: string, alt: string, weights: number[] }[] }} Panel
 */
/**
 * `at` is the index of d in `dims`, and `queries` holds the query's `parameter` for each d. `names` are the keys'
 * names.
 * @typedef {{ dims: number[], at: number, panels: Panel[], names: string[], axis: string, label: string,
 *   values: string[], even: number, parameter: string, queries: string[], from: string }} Data
 */

export default function rowBars(/** @type {Drawing<Data>} */ { parentElement, data }) {
  stateOf(parentElement, ".row-bars", (root) => new RowBars(root, data)).receive(data);
}

class RowBars {
  /** @param {HTMLElement} root @param {Data} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.at = data.at;
    this.version = 0; // the version of the page's query that the slider made last
    this.slider = /** @type {HTMLInputElement} */ (partOf(root, "input"));
    this.slider.oninput = () => this.move(this.slider.valueAsNumber);
    /** @type {Shown[]} */
    this.shown = [];
    onTheme(root, () => this.show());
  }

  receive(/** @type {Data} */ data) {
    const sameDims = this.data.dims.join() === data.dims.join();
    this.data = data;
    partOf(this.root, ".label").textContent = data.label;
    write(this.slider, "aria-label", data.label);
    write(this.slider, "max", String(data.dims.length - 1));
    partOf(this.root, ".at").hidden = data.dims.length < 2;
    const isNewer = data.parameter ? isOf(data.from, this.version) : !sameDims;
    if (isNewer) this.at = data.at; // an older drawing doesn't reset a slider that was moved since
    this.at = Math.min(this.at, data.dims.length - 1);
    this.slider.value = String(this.at);
    if (this.shown.length !== data.panels.length) {
      this.shown = data.panels.map(() => new Shown());
      partOf(this.root, ".panels").replaceChildren(...this.shown.map(({ element }) => element));
    }
    this.show();
  }

  move(/** @type {number} */ at) {
    this.at = at;
    this.show();
    const { parameter, queries } = this.data;
    if (!parameter) return;
    this.version = window.attnvizAddress?.change({ [parameter]: queries[at] || null }, { source: parameter }) ?? 0;
  }

  show() {
    const { panels, values } = this.data;
    const theme = themeOf(this.root);
    partOf(this.root, "output").textContent = values[this.at];
    const told = panels.map(({ rows }) => rows[this.at].alt);
    write(this.slider, "aria-valuetext", [`${values[this.at]}.`, ...told].join(" "));
    panels.forEach((panel, place) => this.shown[place].show(panel.rows[this.at], panel.tone[theme], this.data));
  }
}

// One row: its title, the text about it, and its bars.
class Shown {
  constructor() {
    this.title = make("b", "title");
    this.told = make("span", "told");
    this.bars = make("div", "bars", [], { role: "img" });
    this.even = make("div", "even", [make("span", "", [say("scaling.bars.even")])], UNSEEN);
    this.axis = make("div", "axis", [], UNSEEN);
    const scale = [1, 0.5, 0].map((share) => make("span", "", [percent(share)]));
    const plot = make("div", "plot", [make("div", "scale", scale, UNSEEN), this.bars]);
    this.element = make("figure", "", [make("figcaption", "", [this.title, this.told]), plot, this.axis]);
  }

  /** @param {Panel["rows"][0]} row @param {string} colour @param {Data} data */
  show({ title, told, alt, weights }, colour, { names, axis, even }) {
    this.title.textContent = title;
    this.told.textContent = told;
    write(this.bars, "aria-label", alt);
    this.element.style.setProperty("--bar", colour);
    this.even.style.bottom = `${100 * even}%`;
    if (this.bars.childElementCount !== weights.length + 1) {
      this.bars.replaceChildren(...weights.map(() => make("i")), this.even);
    }
    weights.forEach((weight, place) => {
      const bar = /** @type {HTMLElement} */ (this.bars.children[place]);
      bar.style.setProperty("--weight", String(weight));
      bar.title = say("scaling.bars.bar", { name: names[place], weight: percent(weight) });
    });
    const named = axis ? [axis] : names;
    if (this.axis.childElementCount !== named.length) {
      this.axis.replaceChildren(...named.map(() => make("span")));
    }
    named.forEach((name, place) => { this.axis.children[place].textContent = name; });
  }
}
