// The slider of the temperature, on a logarithmic scale. It sends every move: the board shows the effect at once and
// asks for torch's numbers, as it does when a cell is dragged.

import { isOf, stateOf, partOf } from "../../scripts/parts.js";

/** @import { Drawing } from "../../scripts/types.js" */

/** @typedef {{ parameter: string, value: number, label: string, help: string, from: string }} Data */

const DECADES = 1; // length of the scale on each side of 1
const AT_ONE = 0.02; // in decades; places nearer to 1 count as 1 itself
const DIGITS = 2; // significant digits of the temperature

/** The temperature at a place of the slider. @param {number} place in decades */
export function temperatureAt(place) {
  return Math.abs(place) < AT_ONE ? 1 : Number((10 ** place).toPrecision(DIGITS));
}

export default function temperature(/** @type {Drawing<Data>} */ { parentElement, data }) {
  stateOf(parentElement, ".temperature", (element) => new Slider(element)).receive(data);
}

class Slider {
  constructor(/** @type {HTMLElement} */ element) {
    this.name = partOf(element, "span");
    this.told = partOf(element, "output");
    this.input = /** @type {HTMLInputElement} */ (partOf(element, "input"));
    this.version = 0; // the version of the page's query that the slider last made
    this.parameter = "";
    this.input.oninput = () => this.move(temperatureAt(this.input.valueAsNumber));
  }

  receive(/** @type {Data} */ { parameter, value, label, help, from }) {
    this.parameter = parameter;
    this.name.textContent = label;
    this.input.setAttribute("aria-label", label);
    this.input.title = help;
    if (!isOf(from, this.version)) return; // the slider was moved since; its own value is newer
    const place = Math.log10(value);
    const [min, max] = [Math.min(-DECADES, place), Math.max(DECADES, place)].map(String);
    Object.assign(this.input, { min, max, step: "any" });
    // If the reader's own place rounds to the same temperature, the handle stays where it is.
    if (temperatureAt(this.input.valueAsNumber) !== value) this.input.value = String(place);
    this.tell(value);
  }

  move(/** @type {number} */ value) {
    this.tell(value);
    window.dispatchEvent(new CustomEvent("attnviz-temperature", { detail: value }));
    this.version = window.attnvizAddress?.change({ [this.parameter]: value === 1 ? null : String(value) },
      { source: this.parameter }) ?? 0;
  }

  tell(/** @type {number} */ value) {
    this.told.textContent = String(value);
    const { min, max, valueAsNumber } = this.input;
    this.input.style.setProperty("--done", `${(100 * (valueAsNumber - Number(min))) / (Number(max) - Number(min))}%`);
    this.input.setAttribute("aria-valuetext", String(value));
  }
}
