// The teacher's page: the question's board and, beside it, the class's predictions as they come in.

import { say } from "../../../scripts/sentences.js";
import { BOARDS, SUBJECTS } from "../../../scripts/sent.js";
import { follow, turn } from "../../../app/shell/top_bar/presenting.js";
import { CODE, HERE, ask, counts, el, inTheApp, main, redrawn } from "./shared.js";

/** @import { Now } from "./shared.js" */

const EVERY_MS = 300;
const NOBODY = new Set([403, 404]);
const secret = location.hash.slice(1);

const [open, shown, told] = [0, 1, 2];
const SHORT = new URL("..", HERE).href.replace(/^https?:\/\/|\/$/g, "");
// Hides in the app's page the question, which the panel here shows, and all that leads to other steps or questions.
const ASKED_BESIDE = ".st-key-lesson_head, .st-key-lesson_questions, .st-key-question_head, "
  + ".stColumn:has(.st-key-question_panel), [data-testid=stLayoutWrapper]:has(> .st-key-lesson_asked) "
  + "{ display: none !important; } @media (max-width: 640px) { .st-key-questions_pictures > * { zoom: 0.8; } }";
const COUNTS_HIDDEN = "hidden-counts";
const place = el("section", { className: "board" });
const panel = el("section", { className: "panel" });
const qr = el("dialog", { className: "qr" });
const trouble = el("p", { className: "status", role: "status" });
const ways = el("nav");
const [question, votes] = [el("div"), el("div", { className: "votes" })];
panel.append(question, votes, ways, trouble);
main.append(head(), place, panel, qr);
let now = /** @type {Now | null} */ (null);
follow();
look();

function head() {
  const code = el("button", { className: "quiet", onclick: showCode }, say("classes.teacher.qr"));
  const present = el("button", { className: "quiet present", onclick: turn }, say("share.present.button"));
  const local = /^(localhost|127\.|\[::1)/.test(location.hostname) ? say("classes.teacher.here_alone") : "";
  return el("header", {}, el("span", {}, `${say("classes.teacher.join")} `, el("b", {}, SHORT)),
    el("b", { className: "code" }, CODE), code, present, el("span", { className: "muted" }, local));
}

function showCode() {
  const close = el("button", { className: "quiet", onclick: () => qr.close() }, "×");
  close.setAttribute("aria-label", say("messages.close"));
  qr.replaceChildren(close, el("img", { src: new URL("qr", HERE).href, alt: say("classes.teacher.qr_alt") }),
    el("p", {}, `${SHORT} · `, el("b", {}, CODE)));
  qr.showModal();
}

async function look() {
  if (!(await does({ wants: "now" }))) return;
  if (!now?.ended) setTimeout(look, EVERY_MS);
}

// Send a request, and draw the state of the class after it. Returns whether asking again makes sense.
async function does(/** @type {object} */ wants) {
  const { status, text } = await ask("teacher", { secret, ...wants });
  if (NOBODY.has(status)) {
    main.replaceChildren(el("h1", {}, say("classes.teacher.no_secret")));
    return false;
  }
  if (status === 200) draw(JSON.parse(text));
  else trouble.textContent = say("classes.page.away");
  return true;
}

function draw(/** @type {Now} */ next) {
  now = next;
  const { about, round, phase, ended } = next;
  redrawn(place, [about, phase === told], () => [frame(about, phase)]);
  redrawn(question, [about, phase === told], () => [
    el("h1", {}, next.act), el("p", { className: "asks" }, next.asks),
    ...(next.told?.[""].slice(0, 1) ?? []).map((each) => el("p", { className: "told" }, each)),
  ]);
  redrawn(votes, [about, next.rounds, next.right], () => [
    el("p", { className: "how-many" }, ...(next.rounds ?? []).map(howMany)), counts(next),
  ]);
  redrawn(ways, [about, round, phase, ended], () => (ended ? takeHome() : buttons(next)));
  const said = ["classes.teacher.open", "classes.teacher.counted", "classes.teacher.told"][phase];
  trouble.textContent = ended ? say("classes.page.ended") : say(said);
}

// The number of votes in a round.
/** @param {[number, Record<string, number>]} counted */
function howMany([round, counted]) {
  const n = Object.values(counted).reduce((sum, each) => sum + each, 0);
  return el("span", {}, `${say("classes.page.round", { round })}: `, el("b", {}, say("classes.page.votes", { n })));
}

// The board, before anything is done or with the outcome; for a question without a board, a page of the app.
/** @param {string} about @param {number} phase */
function frame(about, phase) {
  const title = say("classes.page.board");
  if (!BOARDS.includes(about)) {
    const app = el("iframe", { src: `${inTheApp(about, phase === told)}&embed=true`, title, className: "of-app" });
    app.onload = () => app.contentDocument?.head.append(el("style", {}, ASKED_BESIDE));
    return app;
  }
  const board = `../board?about=${about}${phase === told ? "&told=1" : ""}`;
  return el("iframe", { src: new URL(board, HERE).href, title });
}

function buttons(/** @type {Now} */ { about, round, phase }) {
  /** @param {string} name @param {number} to @param {string} className */
  const way = (name, to, className, asks = "") =>
    el("button", { className, onclick: () => does({ wants: "move", from: [about, round, phase], to, about: asks }) },
      say(`classes.teacher.${name}`));
  const next = el("select", {}, ...Object.entries(SUBJECTS).map(([label, each]) => el("optgroup", { label },
    ...Object.entries(each).map(([value, title]) => new Option(title, value, false, value === about)))));
  next.setAttribute("aria-label", say("classes.teacher.ask"));
  const other = el("button", { className: "quiet" }, say("classes.teacher.ask"));
  other.onclick = () => does({ wants: "move", from: [about, round, phase], to: open, about: next.value });
  const first = {
    [open]: [way("counts", shown, "first"), way("tell", told, "")],
    [shown]: [way("again", open, "first"), way("tell", told, "")],
    [told]: [way("again", open, "")],
  }[phase];
  const hide = el("button", { className: "quiet" }, say("classes.teacher.hide"));
  hide.onclick = () => hide.setAttribute("aria-pressed", String(panel.classList.toggle(COUNTS_HIDDEN)));
  hide.setAttribute("aria-pressed", String(panel.classList.contains(COUNTS_HIDDEN)));
  panel.classList.toggle("is-open", phase === open);
  return [el("div", { className: "ways" }, ...first, ...(phase === open ? [hide] : [])),
    el("div", { className: "ways" }, next, other), ...takeHome(end())];
}

function end() {
  const button = el("button", { className: "quiet" }, say("classes.teacher.end"));
  button.onclick = () => {
    if (button.dataset.sure) does({ wants: "end" });
    button.dataset.sure = "yes";
    button.textContent = say("classes.teacher.end_sure");
  };
  return button;
}

/** @param {HTMLElement[]} more */
function takeHome(...more) {
  const files = /** @type {const} */ ([["csv", "csv"], ["xapi", "jsonl"]]).map(([wants, ending]) => {
    const button = el("button", { className: "quiet" }, say(`classes.teacher.${wants}`));
    button.onclick = async () => {
      const { status, text } = await ask("teacher", { secret, wants });
      if (status !== 200) return;
      const href = URL.createObjectURL(new Blob([text]));
      el("a", { href, download: `class-${CODE}.${ending}` }).click();
      setTimeout(() => URL.revokeObjectURL(href), EVERY_MS);
    };
    return button;
  });
  return [el("div", { className: "ways aside" }, ...files, ...more),
    el("p", { className: "muted" }, say("classes.teacher.secret"))];
}
