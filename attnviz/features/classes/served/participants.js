// The page of a class's people: the current question, a button for each choice, and later the counts and the outcome.

import { say } from "../../../scripts/sentences.js";
import { BOARDS } from "../../../scripts/sent.js";
import { CODE, HERE, ask, counts, el, inTheApp, main, redrawn } from "./shared.js";

/** @import { Now } from "./shared.js" */

const EVERY_MS = 1500; // plus at random up to as much again, so that a class doesn't ask all at once
const AGAIN_MS = 700;
const NONE = 404;
const OVER = new Set([400, 404, 410]);
const TOKEN = "attnviz.class.token";
const MINE = `attnviz.class.${CODE}`;

/** This browser's predictions by question and round, and whether they are counted. Of two predictions, the one with the
 * larger nth is the later.
 * @type {Record<string, { choice: string, counted: boolean, nth?: number }>} */
const mine = JSON.parse(localStorage.getItem(MINE) ?? "{}");
const status = el("p", { className: "status", role: "status" });
const asked = el("section");
main.append(el("header", {}, el("b", {}, say("classes.page.code", { code: CODE }))), asked, status);
let last = /** @type {Now | null} */ (null);
look();

// A random token of this browser, which tells its votes from those of others. The server stores only its hash.
function token() {
  const kept = localStorage.getItem(TOKEN) ?? [...crypto.getRandomValues(new Uint8Array(16))]
    .map((each) => each.toString(16).padStart(2, "0")).join("");
  localStorage.setItem(TOKEN, kept);
  return kept;
}

async function look() {
  const { status: told, text } = await ask("now");
  if (told === 200) draw(JSON.parse(text));
  else if (told === NONE) asked.replaceChildren(el("h1", {}, say("classes.page.none", { code: CODE })));
  else say_(say("classes.page.away"));
  if (told !== NONE && !last?.ended) setTimeout(look, EVERY_MS * (1 + Math.random()));
}

const key = (/** @type {Now} */ { about, round }) => `${about} ${round}`;

function draw(/** @type {Now} */ now) {
  last = now;
  const made = mine[key(now)];
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.choice : "";
  if (!redrawn(asked, [now, made], () => drawn(now, made?.choice))) return;
  const there = focused && asked.querySelector(`[data-choice="${CSS.escape(focused)}"]`);
  if (there instanceof HTMLElement) there.focus();
  if (made && !made.counted && now.phase === 0 && !now.ended) send(now, made.choice, made.nth ?? 0);
  say_(standing(now, made));
}

/** @param {Now} now @param {{ choice: string, counted: boolean }} [made] */
function standing(now, made) {
  if (now.ended) return say("classes.page.ended_more");
  if (now.phase === 0) {
    if (!made) return "";
    const choice = now.choices.find(([each]) => each === made.choice)?.[1] ?? made.choice;
    const wait = ["classes.page.change", "classes.page.wait"].map((each) => say(each));
    return made.counted ? [say("classes.page.counted", { choice }), ...wait].join(" ") : say("classes.page.sending");
  }
  return now.phase === 1 ? say("classes.page.discuss") : "";
}

/** @param {Now} now @param {string} [choice] */
function drawn(now, choice) {
  if (now.ended) return [el("h1", {}, say("classes.page.ended"))];
  const head = [el("h1", {}, now.act), el("p", { className: "asks" }, now.asks)];
  if (now.phase === 0) {
    const buttons = now.choices.map(([each, label]) => {
      const button = el("button", { className: "choice" }, label);
      button.dataset.choice = each;
      button.setAttribute("aria-pressed", String(each === choice));
      button.onclick = () => predict(now, each);
      return button;
    });
    const before = `${say("classes.page.first")} ${say("classes.page.change")}`;
    const first = choice ? [] : [el("p", { className: "muted" }, before)];
    return [...first, ...head, ...buttons, ...board(now)];
  }
  const told = (now.told?.[choice ?? ""] ?? []).map((each) => el("p", { className: "told" }, each));
  return [...head, ...told, counts(now, choice), ...board(now)];
}

// The question's board, before anything is done or with the outcome; it's fetched only when it's unfolded.
function board(/** @type {Now} */ { about, phase }) {
  const link = el("a", { href: inTheApp(about) }, say("classes.page.explore"));
  const app = phase === 2 ? [el("p", {}, link)] : [];
  if (!BOARDS.includes(about)) return app;
  const title = say("classes.page.board");
  const more = el("details", {}, el("summary", {}, title));
  more.ontoggle = () => {
    if (more.open && more.children.length < 2) more.append(frame(about, phase, title));
  };
  return [more, ...app];
}

/** @param {string} about @param {number} phase @param {string} title */
function frame(about, phase, title) {
  const told = phase === 2 ? "&told=1" : "";
  return el("iframe", { src: new URL(`../board?about=${about}${told}`, HERE).href, title });
}

/** @param {Now} now @param {string} choice */
function predict(now, choice) {
  const made = mine[key(now)];
  if (made?.choice === choice) return;
  mine[key(now)] = { choice, counted: false, nth: Math.max((made?.nth ?? 0) + 1, Date.now()) };
  localStorage.setItem(MINE, JSON.stringify(mine));
  draw(now);
}

// Send a prediction until it's counted or corrected, or its round is over. If it's sent twice, it's counted once.
/** @param {Now} now @param {string} choice @param {number} nth */
async function send(now, choice, nth) {
  const { about, round } = now;
  const { status: told, text } = await ask("vote", { about, round, choice, nth, token: token() });
  if ((mine[key(now)]?.nth ?? 0) !== nth) return; // a correction is on its way
  if (told === 200) mine[key(now)] = { choice: JSON.parse(text).choice, counted: true, nth };
  else if (OVER.has(told)) delete mine[key(now)];
  else {
    say_(say("classes.page.away"));
    setTimeout(() => again(now, choice, nth), AGAIN_MS * (1 + Math.random()));
    return;
  }
  localStorage.setItem(MINE, JSON.stringify(mine));
  if (last) draw(last);
  if (told !== 200) say_(say("classes.page.late"));
}

/** @param {Now} now @param {string} choice @param {number} nth */
function again(now, choice, nth) {
  if ((mine[key(now)]?.nth ?? 0) === nth) send(now, choice, nth);
}

function say_(/** @type {string} */ text) {
  if (status.textContent !== text) status.textContent = text;
}
