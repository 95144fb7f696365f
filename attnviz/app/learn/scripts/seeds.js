// What became of each of many seeds, as small curves of right answers and of the loss: one is opened by a click.

import { make } from "../../../board/cells/elements.js";
import { keptFor, partOf } from "../../../scripts/parts.js";
import { say } from "../../../scripts/sentences.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/**
 * `share` of right answers and `loss` are the last, as they are written.
 * @typedef {{
 *   seed: number, learned: boolean, steps: number[], accuracies: number[], losses: (number | null)[],
 *   share: string, loss: string,
 * }} Outcome
 */
/** @typedef {{ picked: number, steps: number, hasLaw: boolean, top: number, seeds: Outcome[] }} Data without a law,
 *  nothing is right or wrong; `top` of the losses of all */
/** @typedef {{ drawn: string }} State */

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [84, 30];

/** @type {WeakMap<HTMLElement, State>} */
const all = new WeakMap();

export default function seeds(/** @type {Drawing<Data>} */ { parentElement, data, setTriggerValue }) {
  const root = partOf(parentElement, ".seeds");
  const state = keptFor(all, root, begun);
  const drawn = JSON.stringify([data.seeds, data.picked]);
  if (drawn === state.drawn) return;
  state.drawn = drawn;
  root.setAttribute("aria-label", say(data.hasLaw ? "learn.seeds.all" : "learn.seeds.all_losses"));
  root.replaceChildren(...data.seeds.map((outcome) =>
    picture(outcome, data, () => setTriggerValue("seed", outcome.seed))));
}

/** @returns {State} */
function begun() {
  return { drawn: "" };
}

/** @param {Outcome} outcome @param {Data} data @param {() => void} open */
function picture({ seed, learned, steps, accuracies, losses, share: right, loss }, data, open) {
  const shares = data.hasLaw ? [curve(steps, accuracies, data.steps, 1, "shares")] : [];
  const share = data.hasLaw ? right : loss;
  const button = make("button", `seed${learned ? " learned" : ""}${seed === data.picked ? " on" : ""}`);
  button.type = "button";
  button.setAttribute("aria-label",
    data.hasLaw ? say("learn.seeds.one", { seed, share, loss }) : say("learn.seeds.one_loss", { seed, loss }));
  const figure = make("span", "figure", [String(seed)]);
  button.append(...shares, curve(steps, losses, data.steps, data.top, "losses"), figure,
    make("span", "share", [share]));
  button.onclick = open;
  return button;
}

/** @param {number[]} steps @param {(number | null)[]} values @param {number} last step @param {number} top
 *  @param {string} kind */
function curve(steps, values, last, top, kind) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", kind);
  const line = document.createElementNS(SVG, "polyline");
  const points = steps.flatMap((step, at) => {
    const value = values[at];
    return value === null ? []
      : [`${((step / last) * WIDTH).toFixed(1)},${(HEIGHT - 1 - (HEIGHT - 2) * Math.min(1, value / top)).toFixed(1)}`];
  });
  line.setAttribute("points", points.join(" "));
  svg.append(line);
  return svg;
}
