// What became of each of many seeds, as small curves of right answers: one is opened by a click.

import { make } from "../../board/cells/elements.js";
import { keptFor, partOf } from "../../scripts/parts.js";
import { Sender } from "../../scripts/sending.js";
import { say } from "../../scripts/sentences.js";

/** @import { Answered, Drawing } from "../../scripts/types.js" */

/** @typedef {{ seed: number, learned: boolean, steps: number[], accuracies: number[] }} Outcome */
/** @typedef {Answered & { picked: number, steps: number, seeds: Outcome[] }} Data */
/** @typedef {{ sender: Sender<{ seed: number }>, drawn: string }} State */

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [84, 40];

/** @type {WeakMap<HTMLElement, State>} */
const all = new WeakMap();

/** @param {Drawing<Data>} drawing */
export default function seeds({ parentElement, data, setTriggerValue }) {
  const root = partOf(parentElement, ".seeds");
  const state = keptFor(all, root, begun);
  state.sender.receive(data.key, data.answered, (message) => setTriggerValue("seed", message));
  const drawn = JSON.stringify([data.seeds, data.picked]);
  if (drawn === state.drawn) return;
  state.drawn = drawn;
  root.setAttribute("aria-label", say("learn.seeds.all"));
  root.replaceChildren(...data.seeds.map((outcome) => picture(outcome, data, () => state.sender.send({ seed: outcome.seed }))));
}

/** @param {HTMLElement} root @returns {State} */
function begun(root) {
  return { sender: new Sender(root), drawn: "" };
}

/** @param {Outcome} outcome @param {Data} data @param {() => void} open */
function picture({ seed, learned, steps, accuracies }, data, open) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "polyline");
  line.setAttribute("points", steps.map((step, at) => `${((step / data.steps) * WIDTH).toFixed(1)},${(HEIGHT - 1 - (HEIGHT - 2) * accuracies[at]).toFixed(1)}`).join(" "));
  svg.append(line);
  const share = `${Math.round(100 * (accuracies[accuracies.length - 1] ?? 0))} %`;
  const button = make("button", `seed${learned ? " learned" : ""}${seed === data.picked ? " on" : ""}`);
  button.type = "button";
  button.setAttribute("aria-label", say("learn.seeds.one", { seed, share }));
  const figure = make("span", "figure", [String(seed)]);
  button.append(svg, figure, make("span", "share", [share]));
  button.onclick = open;
  return button;
}
