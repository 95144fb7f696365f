// One token's row of attention as bars, and a slider through the tiles that it's read in. Python sends the numbers of
// every tile with the drawing, so that the bars follow the slider at once.

import { make, write } from "../../../board/cells/elements.js";
import { say } from "../../../scripts/sentences.js";
import { partOf, stateOf } from "../../../scripts/parts.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/**
 * One tile: its keys, each read key's bar as a share of the largest and as text, the sums after it, and sentences.
 * @typedef {{ start: number, stop: number, bars: number[], weights: string[], numbers: Record<string, string>,
 *   told: string, name: string }} Step
 */
/**
 * `keys` and `scores` are texts, one for each key; `titles` are the names of a step's `numbers`.
 * @typedef {{ keys: string[], scores: string[], titles: Record<string, string>, label: string, steps: Step[] }} Data
 */

export default function tiles(/** @type {Drawing<Data>} */ { parentElement, data }) {
  stateOf(parentElement, ".tiles", (root) => new Tiles(root, data)).receive(data);
}

class Tiles {
  /** @param {HTMLElement} root @param {Data} data */
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.at = 0;
    this.slider = /** @type {HTMLInputElement} */ (partOf(root, "input"));
    this.slider.oninput = () => this.show(this.slider.valueAsNumber);
  }

  receive(/** @type {Data} */ data) {
    const isOfSameTiles = data.keys.join() === this.data.keys.join() && data.steps.length === this.data.steps.length;
    this.data = data;
    partOf(this.root, ".label").textContent = data.label;
    write(this.slider, "aria-label", data.label);
    write(this.slider, "max", String(data.steps.length - 1));
    this.columns = data.keys.map((key, place) => new Column(key, data.scores[place]));
    partOf(this.root, ".keys").replaceChildren(...this.columns.map(({ element }) => element));
    this.numbers = Object.entries(data.titles).map(([name, title]) => ({ name, text: make("dd"), title }));
    const sums = this.numbers.map(({ name, title, text }) => make("div", name, [make("dt", "", [title]), text]));
    partOf(this.root, ".sums").replaceChildren(...sums);
    const at = isOfSameTiles ? this.at : 0;
    this.slider.value = String(at);
    this.show(at);
  }

  show(/** @type {number} */ at) {
    const { steps } = this.data;
    const step = steps[at];
    this.at = at;
    this.slider.style.setProperty("--done", `${(100 * at) / Math.max(1, steps.length - 1)}%`);
    partOf(this.root, "output").textContent = step.name;
    write(this.slider, "aria-valuetext", `${step.name}. ${step.told}`);
    this.columns?.forEach((column, place) => column.show(step, place));
    this.numbers?.forEach(({ name, text }) => { text.textContent = step.numbers[name]; });
    partOf(this.root, ".told").textContent = step.told;
  }
}

// One key: its name, its score and its bar.
class Column {
  /** @param {string} key @param {string} score */
  constructor(key, score) {
    this.key = key;
    this.score = score;
    this.bar = make("i");
    this.weight = make("span", "weight");
    this.element = make("li", "", [make("div", "well", [this.bar, this.weight]), make("b", "", [key]),
      make("span", "score", [score])]);
  }

  /** @param {Step} step @param {number} place */
  show(step, place) {
    const isRead = place < step.stop;
    this.element.classList.toggle("read", isRead);
    this.element.classList.toggle("now", isRead && place >= step.start);
    this.bar.style.setProperty("--weight", String(isRead ? step.bars[place] : 0));
    this.weight.textContent = isRead ? step.weights[place] : "";
    const said = { key: this.key, score: this.score, weight: step.weights[place] };
    write(this.element, "aria-label", isRead ? say("costs.tiles.bar", said) : say("costs.tiles.unread", said));
  }
}
