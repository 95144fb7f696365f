// Code that the pages of a class share.

import { say, thousands } from "../../../scripts/sentences.js";
import { EXAMPLE, TOLD } from "../../../scripts/sent.js";

/**
 * The state of a class, as the server sends it.
 * @typedef {{ about: string, round: number, phase: 0 | 1 | 2, ended: boolean, act: string, asks: string,
 *   choices: [string, string][], rounds?: [number, Record<string, number>][], right?: string,
 *   told?: Record<string, string[]> }} Now
 */

/** The address of the class, which ends in a slash: its code is the last part. */
export const HERE = new URL(`${location.pathname.match(/.*\/class\/[^/]+/)?.[0] ?? ""}/`, location.href);
export const CODE = (HERE.pathname.split("/").at(-2) ?? "").toUpperCase();
export const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const AWAY_MS = 5000;

// The address of the app's page with this question: unanswered, or, if `told`, with its outcome.
/** @param {string} about */
export function inTheApp(about, told = false) {
  const step = about.match(/^step-(.*)/)?.[1];
  /** @type {Record<string, string>} */
  const asks = step ? { example: EXAMPLE, step } : { question: about };
  const query = new URLSearchParams({ ...asks, ...(told ? TOLD[about] : {}) });
  return new URL(`../../${step ? "lesson" : "questions"}?${query}`, HERE).href;
}

/**
 * Makes an element with these properties and children.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Record<string, unknown>} [has] @param {(Node | string)[]} within
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function el(tag, has = {}, ...within) {
  const made = document.createElement(tag);
  Object.assign(made, has);
  made.append(...within);
  return made;
}

// Ask the server, with a message (POST) or without (GET). The status is 0 if no answer comes.
/** @param {string | URL} address @param {object} [says] @param {number} [within] milliseconds */
export async function ask(address, says, within = AWAY_MS) {
  const how = { signal: AbortSignal.timeout(within) };
  const headers = { "Content-Type": "application/json" };
  const sent = says ? { ...how, method: "POST", headers, body: JSON.stringify(says) } : how;
  try {
    const answer = await fetch(new URL(address, HERE), sent);
    return { status: answer.status, text: answer.status === 200 ? await answer.text() : "" };
  } catch {
    return { status: 0, text: "" };
  }
}

// The choices, each with a bar for every round: its votes, and their share of the round.
/** @param {Now} now @param {string} [mine] */
export function counts({ rounds = [], choices, right }, mine) {
  const sums = rounds.map(([, counted]) => Object.values(counted).reduce((sum, n) => sum + n, 0));
  const rows = choices.map(([choice, label]) => {
    const is = ["choice", choice === right && "is-right", choice === mine && "is-mine"].filter(Boolean).join(" ");
    const bars = rounds.map(([round, counted], at) => {
      const n = counted[choice] ?? 0;
      const share = sums[at] ? n / sums[at] : 0;
      const bar = el("i");
      bar.style.width = `${100 * share}%`;
      return el("div", { className: "bar", title: say("classes.page.round", { round }) },
        el("span", { className: "of" }, rounds.length > 1 ? String(round) : ""),
        el("span", { className: "track" }, bar), el("b", {}, thousands(n)),
        el("span", { className: "share" }, say("classes.page.share", { n: Math.round(100 * share) })));
    });
    const name = el("div", { className: "name" }, label);
    if (choice === right) name.append(el("span", { className: "tag" }, `✓ ${say("classes.page.right")}`));
    return el("li", { className: is }, name, ...bars);
  });
  return el("ol", { className: "counts" }, ...rows);
}

// Redraw an element only if the data that it shows have changed, so that otherwise focus and scrolling stay. Returns
// whether it was redrawn.
/** @param {HTMLElement} place @param {unknown} seen @param {() => (Node | string)[]} draw */
export function redrawn(place, seen, draw) {
  const told = JSON.stringify(seen);
  if (place.dataset.seen === told) return false;
  place.dataset.seen = told;
  place.replaceChildren(...draw());
  return true;
}
