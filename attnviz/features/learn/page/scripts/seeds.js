// The result of each of many seeds, as small curves of right answers and of the loss; a click opens its training.

import { button, drawn, make, UNSEEN } from "../../../../board/cells/elements.js";
import { stateOf, partOf } from "../../../../scripts/parts.js";
import { say } from "../../../../scripts/sentences.js";

/** @import { Drawing } from "../../../../scripts/types.js" */

/**
 * `share` (of right answers) and `loss` are the final ones, as text.
 * @typedef {{
 *   seed: number, learned: boolean, steps: number[], accuracies: number[], losses: (number | null)[],
 *   share: string, loss: string,
 * }} Outcome
 */
/** @typedef {{ picked: number, steps: number, hasLaw: boolean, top: number, seeds: Outcome[] }} Data without a law, no
 *  answer is right or wrong; `top` is the largest loss of all seeds */

const [WIDTH, HEIGHT] = [84, 30];

export default function seeds(/** @type {Drawing<Data>} */ { parentElement, data, setTriggerValue }) {
  const root = partOf(parentElement, ".seeds");
  const state = stateOf(parentElement, ".seeds", () => ({ shown: "" }));
  const shown = JSON.stringify([data.seeds, data.picked]);
  if (shown === state.shown) return;
  state.shown = shown;
  root.setAttribute("aria-label", say(data.hasLaw ? "learn.seeds.all" : "learn.seeds.all_losses"));
  root.replaceChildren(...data.seeds.map((outcome) =>
    picture(outcome, data, () => setTriggerValue("seed", outcome.seed))));
}

/** @param {Outcome} outcome @param {Data} data @param {() => void} open */
function picture({ seed, learned, steps, accuracies, losses, share: right, loss }, data, open) {
  const shares = data.hasLaw ? [curve(steps, accuracies, data.steps, 1, "shares")] : [];
  const share = data.hasLaw ? right : loss;
  const label = say(data.hasLaw ? "learn.seeds.one" : "learn.seeds.one_loss", { seed, share, loss });
  const own = button(`seed${learned ? " learned" : ""}${seed === data.picked ? " on" : ""}`, "", open,
    { "aria-label": label });
  own.append(...shares, curve(steps, losses, data.steps, data.top, "losses"), make("span", "figure", [String(seed)]),
    make("span", "share", [share]));
  return own;
}

/** @param {number[]} steps @param {(number | null)[]} values @param {number} last step @param {number} top
 *  @param {string} kind */
function curve(steps, values, last, top, kind) {
  const svg = drawn("svg", kind, { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, ...UNSEEN });
  const points = steps.flatMap((step, at) => {
    const value = values[at];
    return value === null ? []
      : [`${((step / last) * WIDTH).toFixed(1)},${(HEIGHT - 1 - (HEIGHT - 2) * Math.min(1, value / top)).toFixed(1)}`];
  });
  svg.append(drawn("polyline", "", { points: points.join(" ") }));
  return svg;
}
