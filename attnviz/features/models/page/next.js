// The words that may come next, each with a bar and its numbers; a press on one appends it. Ten words are written one
// by one, each after the page has drawn the one before. Texts of tokens are only ever set as textContent.

import { make } from "../../../board/cells/elements.js";
import { focusedBeside, isOf, stateOf, partOf } from "../../../scripts/parts.js";
import { say } from "../../../scripts/sentences.js";

/** @import { Drawing } from "../../../scripts/types.js" */

/** @typedef {{ id: number, token: string, drawn: number, probability: number, told: string[] }} Row */
/**
 * The parts that sum to a score: `share` is from -1 to 1, and `head` is a head's place as the address has it.
 * @typedef {{ title: string, rows: { name: string, share: number, told: string, head: string | null }[], told: string[]
 * }} Reasons
 */
/**
 * The tokens of both sentences, and for each layer and token how far the next word moves.
 * @typedef {{ title: string, tokens?: string[][], layers?: string[], shares?: number[][], told?: string[][], picked?:
 * string }} Places
 */
/**
 * `why` is the id of the word whose score is explained, if the model `can` write at all. `ids` are those of the
 * `written` tokens, as the address has them. `drawn` is the id that the seed draws next. `columns` has the numbers'
 * titles by name.
 * @typedef {{ rows: Row[], columns: Record<string, string>, written: string[], ids: string, drawn: number,
 *   writes: boolean, can: boolean, why: number | null, reasons: Reasons | null, places: Places | null,
 *   parameters: Record<"written" | "query" | "why" | "head" | "place", string>, from: string }} Data
 */
/** @typedef {{ told: number, left: number, timer: ReturnType<typeof setTimeout> | undefined }} State */

const TEN = 10;
const MOST_ON_PHONE = 3; // columns of numbers; if there are more, a phone doesn't show LEFT_OUT
const LEFT_OUT = ["drawn", "logit"];
const FIRST = 5; // words that are shown without unfolding
const PACE_MS = 500; // time between two words that are written automatically

export default function modelNext(/** @type {Drawing<Data>} */ { parentElement, data }) {
  const root = partOf(parentElement, ".next");
  /** @type {State} */
  const state = stateOf(parentElement, ".next", () => ({ told: 0, left: 0, timer: undefined }));
  if (!isOf(data.from, state.told)) return; // a word was appended since
  clearTimeout(state.timer);
  const tell = (/** @type {string} */ ids) => {
    state.told = window.attnvizAddress?.change({ [data.parameters.written]: ids || null,
      [data.parameters.query]: null, [data.parameters.why]: null }) ?? 0; // reasons explain a word at the old place
    window.attnvizAddress?.send(); // send it at once: unlike a drag, a press has no further changes
  };
  const append = (/** @type {number} */ id) => tell(data.ids ? `${data.ids}.${id}` : String(id));
  const goOn = () => {
    if (!root.isConnected || state.left <= 0) return;
    state.left -= 1;
    append(data.drawn);
  };
  const take = (/** @type {() => void} */ act) => () => {
    state.left = 0;
    act();
  };
  const one = button("one", say("write.one"), !data.writes, take(() => append(data.drawn)));
  const playing = state.left > 0 && data.writes;
  const ten = button("ten", playing ? say("write.stop") : say("write.ten"), !data.writes, () => {
    state.left = playing ? 0 : TEN;
    if (playing) clearTimeout(state.timer);
    goOn();
  });
  const none = data.written.length === 0;
  const back = button("back", say("write.back"), none, take(() => tell(data.ids.split(".").slice(0, -1).join("."))));
  const start = button("start", say("write.start"), none, take(() => tell("")));
  const columns = Object.entries(data.columns);
  const title = make("div", "titles",
    [make("span"), make("span"), ...columns.map(([name, each]) => make("span", `of-${name}`, [each]))]);
  title.setAttribute("aria-hidden", "true");
  const ask = (/** @type {number} */ id) =>
    window.attnvizAddress?.change({ [data.parameters.why]: id === data.why ? null : String(id) });
  const lines = data.rows.map((row) => {
    const word = line(row, data, take(() => append(row.id)));
    return make("div", "both", [word, ...(data.can ? [reason(row, data.why, take(() => ask(row.id)))] : [])]);
  });
  const rows = folded(lines, root.querySelector("details")?.open ?? false);
  const written = make("p", "written", data.written.map((token) => make("u", "", [token])));
  written.hidden = none;
  // Remember the button with the focus, because all buttons are made anew.
  const own = focusedBeside(root);
  const focused = own instanceof HTMLElement && root.contains(own) ? `[data-act="${own.dataset.act}"]` : "";
  root.style.setProperty("--numbers", String(columns.length));
  root.style.setProperty("--few", String(columns.filter(([name]) => !LEFT_OUT.includes(name)).length));
  root.classList.toggle("many", columns.length > MOST_ON_PHONE);
  root.replaceChildren(written, make("div", "acts", [one, ten, back, start]), title, ...rows, ...reasons(data),
    ...places(data));
  if (focused) /** @type {HTMLElement | null} */ (root.querySelector(focused))?.focus();
  if (playing) state.timer = setTimeout(goOn, PACE_MS);
  else state.left = 0;
}

// The most probable words; the others are folded behind a line that says how many there are.
/** @param {HTMLElement[]} lines @param {boolean} open */
function folded(lines, open) {
  const rest = lines.slice(FIRST);
  if (!rest.length) return lines;
  const more = make("details", "", [make("summary", "", [say("write.more", { n: rest.length })]), ...rest]);
  more.open = open;
  return [...lines.slice(0, FIRST), more];
}

/** @param {Row} row @param {Data} data @param {() => void} act */
function line({ id, token, drawn, probability, told }, { columns, writes }, act) {
  const bar = make("span", "full",
    columns.drawn ? [length("all", probability), length("share", drawn)] : [length("share", probability)]);
  const texts = Object.keys(columns).map((name, at) => make("span", `number of-${name}`, [told[at]]));
  const named = Object.values(columns).map((title, at) => `${title}: ${told[at]}`).join(", ");
  const made = button(`row-${id}`, "", !writes, act);
  made.classList.add("row");
  made.setAttribute("aria-label", say("write.append", { token, named }));
  made.append(make("span", "name", [token], { title: token }), bar, ...texts);
  return made;
}

// The button beside a word's row that explains its score.
/** @param {Row} row @param {number | null} shown @param {() => void} act */
function reason({ id, token }, shown, act) {
  const made = button(`why-${id}`, say("write.why.ask"), false, act);
  made.classList.add("why");
  made.setAttribute("aria-label", say("write.why.of", { token }));
  made.setAttribute("aria-pressed", String(id === shown));
  return made;
}

// A bar for each part of a score: to the right if it raised the score, to the left if it lowered it. A press on a
// head's bar shows that head.
function reasons(/** @type {Data} */ { reasons: shown, parameters }) {
  if (!shown) return [];
  const rows = shown.rows.map(({ name, share, told, head }, at) => {
    const parts = [make("span", "name", [name]), make("span", "full sides",
      [length(share < 0 ? "takes" : "gives", Math.abs(share) / 2)]), make("span", "number", [told])];
    if (head === null) return make("div", "row part", parts);
    const made = button(`part-${at}`, "", false, () => window.attnvizAddress?.change({ [parameters.head]: head }));
    made.className = "row part";
    made.setAttribute("aria-label", say("write.why.open", { name, told }));
    made.append(...parts);
    return made;
  });
  return [make("h2", "", [shown.title]), ...rows, ...shown.told.map((each) => make("p", "told", [each]))];
}

// A cell for each layer and token: how far the next word's probabilities move if the vector there is replaced by the
// other sentence's.
function places(/** @type {Data} */ { places: shown, parameters }) {
  if (!shown) return [];
  const heads = (shown.tokens ?? [])
    .map((tokens) => make("tr", "", [make("th"), ...tokens.map((token) => make("th", "", [token]))]));
  const lines = (shown.layers ?? []).map((layer, row) => {
    const cells = (shown.shares?.[row] ?? []).map((share, at) => {
      const place = `${row}.${at}`;
      const text = shown.told?.[row][at] ?? "";
      const made = button(`place-${place}`, text, false,
        () => window.attnvizAddress?.change({ [parameters.place]: place === shown.picked ? null : place }));
      made.setAttribute("aria-label", say("write.from.place",
        { layer, token: shown.tokens?.[0][at] ?? "", other: shown.tokens?.[1][at] ?? "", share: text }));
      made.setAttribute("aria-pressed", String(place === shown.picked));
      made.style.setProperty("--share", `${80 * share}%`);
      return make("td", "", [made]);
    });
    return make("tr", "", [make("th", "", [layer]), ...cells]);
  });
  return [make("h2", "", [shown.title]),
    make("div", "places", [make("table", "", [make("tbody", "", [...heads, ...lines])])])];
}

/** @param {string} name @param {number} share */
function length(name, share) {
  const bar = make("i", name);
  bar.style.width = `${100 * share}%`;
  return bar;
}

/** @param {string} name @param {string} text @param {boolean} off @param {() => void} act */
function button(name, text, off, act) {
  const made = make("button", "", [text]);
  Object.assign(made, { type: "button", disabled: off, onclick: act });
  made.dataset.act = name;
  return made;
}
