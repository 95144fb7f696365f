// The page's state: its path and one query. It is mirrored in the address at once; each drawing of the server says of
// which query it is made, and where that isn't the page's, the page says its whole query again: as the value of a
// component, or by `popstate` on another page. Streamlit's controls that stand otherwise are turned by the server.
// Nothing else is told: a message that is lost, a server that is new, hours offline are all "drawn isn't what I have".

import { watch } from "./connection.js";
import { listen } from "./fields.js";
import { ofOwnWords } from "./own_sentence.js";
import { arranged, markOf, namingItsExample, ordered, patched } from "./query.js";
import { partOf, tellPainted } from "./parts.js";
import { CONSTANTS } from "./sent.js";

/** @import { Fields } from "./fields.js" */
/** @import { Asks } from "./parts.js" */
/** @import { Patch } from "./query.js" */
/** @import { Drawing } from "./types.js" */

/**
 * What a button of the server's changes: the page takes each once. With a `path`, it leads to that page.
 * @typedef {{ id: string, patch: Patch, path: string | null }} Offer
 */
/**
 * What a run has drawn: the mark of the query that it was asked for, and what became of it, the page, and which of the
 * page's sayings it has heard last, and the fields of Streamlit's that the page itself writes into the address.
 * @typedef {{ from: string, is: string, page: string, n: number, offers: Offer[], fields: Fields[] }} Drawn
 */

const { PUT_OFF: { REST_MS, TIMES, MOST_MS }, CONTROLS, OPENED, BY_CLASS } = CONSTANTS;
const PATIENCE_MS = 1000; // until what was said and isn't drawn is said again ...
const MOST_PATIENCE_MS = 4000; // ... twice as long after each time
const LOOKS_MS = 100; // between two looks at the address
const LATE = ".st-key-setup [data-testid=stSkeleton]"; // a control that isn't there yet, and would stay at its default
const OPEN_CELL = "#portal :is(input, textarea)"; // where Streamlit's tables are typed into
const CELL_TOLD_MS = 250; // in which a table has told what was typed: it waits 150 for more

// The name of a page: the end of its path.
function pageOf(/** @type {string} */ path) {
  return path.split("/").at(-1) ?? "";
}

function pathOf(/** @type {string} */ page) {
  return new URL(page || ".", new URL(".", location.href)).pathname;
}

function stateOfApp(/** @type {"testScriptState" | "testConnectionState"} */ name) {
  return partOf(document, "[data-testid=stApp]").dataset[name];
}

export class Address {
  constructor() {
    this.path = location.pathname;
    this.query = ordered(location.search);
    this.controls = CONTROLS; // their parameters, as they are called
    this.word = ""; // of the session that is told of the first picture
    this.version = 1; // of the query
    this.versions = new Map([[markOf(this.query), 1]]);
    /** @type {(said: { query: string, taken: string, n: number }) => void} */
    this.setValue = () => {};
    /** @type {Drawn | null} */
    this.drawn = null; // what the server has drawn last
    /** @type {Map<string, Fields>} */
    this.fields = new Map();
    /** @type {Map<string, number>} */
    this.mirrors = new Map(); // how often each was written by its fields since the server has drawn what it was told
    /** @type {Set<string>} */
    this.taken = new Set(); // offers of the server, by their ids
    this.patience = PATIENCE_MS;
    this.waits = 100; // looks that controls are waited for
    this.due = false; // whether something is to be said
    this.leads = false; // whether that leads to another page
    this.saidAt = 0;
    this.took = 0; // milliseconds until the last answer
    this.back = 0; // when the server was there again
    /** @type {(() => void) | null} */
    this.undone = null; // what was done before that server has drawn this page
    /** @type {string | null} */
    this.source = null; // what made the last step
    this.toldBy = 0; // when a table has told what was typed into its cell
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.seen = location.href; // the address, as the page left it
    /** @type {"push" | "replace"} */
    this.how = "replace"; // as it was written last
    window.navigation?.addEventListener("currententrychange",
      ({ navigationType }) => this.look(navigationType ?? "push"));
    setInterval(() => this.look(), LOOKS_MS); // browsers of before 2026 don't tell of it
    window.addEventListener("popstate", (event) => event.isTrusted && this.follow());
    for (const type of ["pointerdown", "keydown"]) window.addEventListener(type, () => this.act(), true);
    window.addEventListener("click", (event) => this.hold(event), true);
    window.addEventListener("click", (event) => this.leave(event), true);
    window.addEventListener("attnviz:back", () => this.sayAll());
    listen(() => this.fields.values(), () => this.query, (patch, source) => this.mirror(patch, source));
  }

  // ---- changes of the reader: at once here, in the address, and in every view

  // With `source`, a change that follows one of the same source takes its place: a key is held down.
  /** @param {Patch} patch @param {{ source?: string | null }} [how] @returns {number} the version that it makes */
  change(patch, { source = null } = {}) {
    const query = namingItsExample(patched(this.query, ofOwnWords(this.query, patch, BY_CLASS)), CONTROLS);
    if (query === this.query) return this.version;
    this.become(query);
    this.write(source !== null && source === this.source && this.due ? "replace" : "push");
    this.source = source;
    this.tell();
    this.sayIn(this.rest);
    return this.version;
  }

  // What Streamlit tells the server by itself, which offers the same: one step of the history.
  mirror(/** @type {Patch} */ patch, /** @type {string} */ source) {
    this.mirrors.set(source, (this.mirrors.get(source) ?? 0) + 1);
    this.change(patch, { source });
    this.expect();
  }

  // To another page; from within the one that is open, to where that begins.
  go(/** @type {string} */ page) {
    const opened = pathOf(page) === this.path ? OPENED[this.page] ?? [] : [];
    this.path = pathOf(page);
    const query = patched(this.query, Object.fromEntries(opened.map((name) => [name, null])));
    if (query !== this.query) this.become(query);
    this.write("push");
    this.leads = true;
    this.tell();
    this.say();
  }

  become(/** @type {string} */ query) {
    this.query = namingItsExample(query, CONTROLS);
    this.version += 1;
    const { mark, version } = this;
    const others = [...this.versions].filter(([each]) => each !== mark).slice(-63); // older: no answer
    this.versions = new Map([...others, [mark, version]]);
  }

  // The version of a query, by its mark; 0 of one that isn't the page's any more.
  versionOf(/** @type {string} */ mark) {
    return this.versions.get(mark) ?? 0;
  }

  get mark() {
    return markOf(this.query);
  }

  get page() {
    return pageOf(this.path);
  }

  // Whatever the hand does next comes after what it did.
  act() {
    this.look();
    if (this.unknown) this.undone ??= () => this.sayAll(); // it was told of a part that the server didn't know yet
    if (document.querySelector(OPEN_CELL)) this.toldBy = performance.now() + CELL_TOLD_MS;
    if (this.due) this.say();
  }

  // A press of a button is nothing to a server that is there again and has not drawn it yet: it counts once it has.
  hold(/** @type {MouseEvent} */ event) {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (!button || !this.unknown || performance.now() - this.back > MOST_PATIENCE_MS) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.undone = () => button.click();
  }

  // A control that is left by the very click that leads to another page tells its value in a task of its own: after the
  // click, it would be told of the page that was left, in the other's place.
  leave(/** @type {MouseEvent} */ event) {
    const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement);
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button;
    if (!(link instanceof HTMLAnchorElement) || elsewhere || link.target || link.download || link.search
      || link.origin !== location.origin) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    window.dispatchEvent(new Event("attnviz:leaves"));
    setTimeout(() => this.go(link.pathname), Math.max(0, this.toldBy - performance.now()));
  }

  // ---- the address

  write(/** @type {"push" | "replace"} */ how) {
    const to = this.path + (this.query && `?${arranged(this.query, CONTROLS)}`);
    if (how === "push") history.pushState({}, "", to);
    else history.replaceState(history.state, "", to);
    this.seen = location.href;
    this.how = how;
  }

  get mirrored() {
    return location.pathname === this.path && ordered(location.search) === this.query;
  }

  // Back or Forward, or a link to another place in the page.
  follow() {
    this.become(ordered(location.search));
    this.path = location.pathname;
    this.seen = location.href;
    this.patience = PATIENCE_MS;
    this.source = null;
    this.leads = false;
    this.expect();
    this.tell();
  }

  // Somebody else wrote the address: a control of Streamlit's, of what was moved; or Streamlit, of what a past run
  // knew. Or a write of the page's isn't there: a browser drops what is written too often, and says nothing.
  look(how = "replace") {
    if (how === "traverse" || this.mirrored) return;
    const { href, pathname, search } = location;
    if (href === this.seen) return this.write(this.how);
    if (pathname !== this.path) return; // to where a button leads, or of a run that was asked for before
    const [now, then] = [search, new URL(this.seen).search].map((query) => new URLSearchParams(query));
    const names = [...new Set([...now.keys(), ...then.keys()])].filter((name) => now.get(name) !== then.get(name));
    this.write("replace"); // the entry of before stays ...
    this.source = null;
    if (how !== "replace" || !names.every((name) => CONTROLS.includes(name))) return;
    const moved = Object.fromEntries(names.map((name) => [name, now.get(name)]));
    this.become(patched(this.query, ofOwnWords(this.query, moved, BY_CLASS)));
    this.write("push"); // ... and the move is a step of its own
    this.sayIn(this.tell() ? this.rest : 0);
  }

  // ---- the server

  say(again = false) {
    if (again && this.busy) return this.sayIn(this.patience, true);
    const leads = this.leads || (again && this.drawn?.page !== this.page);
    if (!leads && document.querySelector(LATE) && this.waits-- > 0) return this.sayIn(LOOKS_MS, again);
    this.look(); // a control that was moved tells it, too: one that stands otherwise is turned
    if (again && location.pathname !== this.path) this.write("replace"); // as a late run left it
    this.leads = false;
    this.saidAt = performance.now();
    this.expect();
    if (leads) window.dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
    else this.sendValue();
  }

  // With what is another each time: what was taken back and is done again is said anew, though it is the same.
  sendValue() {
    this.setValue({ query: this.query, taken: [...this.taken].at(-1) ?? "", n: this.saidAt });
  }

  // A server that is there again may not know this page: a part of it that is asked to run by itself would be unknown.
  sayAll() {
    this.back = this.saidAt = performance.now();
    this.sendValue();
    if (!this.heard) this.expect();
  }

  // Whether the server is there again, and has not drawn this page since.
  get unknown() {
    return (this.drawn?.n ?? 0) < this.back;
  }

  // Whether nothing that is said now would be heard: a run goes on, or the connection is away.
  get busy() {
    return this.away || stateOfApp("testScriptState") === "running";
  }

  get away() {
    return (stateOfApp("testConnectionState") ?? "CONNECTED") !== "CONNECTED";
  }

  sayIn(/** @type {number} */ ms, again = false) {
    clearTimeout(this.timer);
    this.due = !again;
    this.timer = setTimeout(() => this.say(again), ms);
  }

  // How long the hand rests before the page is told: on a busy server, several changes are followed by one run.
  get rest() {
    return Math.max(REST_MS, Math.min(TIMES * this.took, MOST_MS));
  }

  // Whether what is drawn is what the address says.
  get heard() {
    const { drawn } = this;
    return drawn !== null && drawn.page === this.page && (drawn.is === this.query || drawn.from === this.mark);
  }

  // Unless a drawing of this query comes, it is said again.
  expect() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.due = false;
    if (this.heard) return; // nor is it drawn anew: Streamlit draws only what is another one
    this.sayIn(this.patience, true);
    this.patience = Math.min(2 * this.patience, MOST_PATIENCE_MS);
  }

  // What the server offers comes before the controls that it has turned.
  take(/** @type {Offer[]} */ offers) {
    for (const { id, patch: offered, path } of offers) {
      if (this.taken.has(id)) continue;
      this.taken.add(id);
      // Of a field that changed again since, it may be of the change before: the page says its own, in its time.
      const patch = Object.fromEntries(Object.entries(offered).filter(([name]) => (this.mirrors.get(name) ?? 0) < 2));
      const there = path !== null && path === pageOf(location.pathname); // Streamlit has entered it already
      if (path !== null) this.path = pathOf(path);
      const query = namingItsExample(patched(this.query, patch), CONTROLS);
      if (query === this.query && this.mirrored) continue;
      const said = new URLSearchParams(this.query); // in JSON: by the page, of which this is the packed form
      const same = Object.keys(patch).every((name) => said.get(name)?.startsWith("{"));
      this.become(query);
      this.write(there || same ? "replace" : "push");
      this.source = null;
      this.tell();
    }
  }

  // With each drawing.
  hear(/** @type {Drawn} */ drawn) {
    this.look();
    const [is, { undone }] = [ordered(drawn.is), this];
    this.drawn = { ...drawn, is };
    if (undone && !this.unknown) {
      this.undone = null;
      setTimeout(undone);
    }
    for (const each of drawn.fields) this.fields.set(each.parameter, each);
    this.take(drawn.offers);
    if (drawn.page === this.page && drawn.from === this.mark && is !== this.query) {
      this.query = is; // corrected: no step, nor another version, as it is what was drawn
      this.versions.set(this.mark, this.version);
      this.write("replace");
      this.tell();
    }
    if (location.pathname !== this.path) this.write("replace");
    if (!this.heard) {
      if (!this.due && this.timer === undefined) this.sayIn(REST_MS);
      return;
    }
    this.mirrors.clear();
    if (this.saidAt) this.took = performance.now() - this.saidAt;
    this.saidAt = 0;
    if (this.due) return;
    this.patience = PATIENCE_MS;
    this.expect();
    this.tell();
  }

  // Return whether what stands first on the page asks for its numbers itself.
  tell() {
    return !window.dispatchEvent(new CustomEvent("attnviz:query", { detail: this.query, cancelable: true }));
  }
}

// What Streamlit draws of the page's state: a part that hears it, before any control, and is to tell when the first
// picture of the page is painted; and one that tells what was drawn.
/** @typedef {{ asks?: Asks, offers?: Offer[], drawn?: Drawn }} Data */

export default function addressPart(/** @type {Drawing<Data>} */ { data, parentElement, setStateValue }) {
  const page = (window.attnvizAddress ??= new Address());
  const { asks } = data;
  if (asks) page.setValue = (said) => setStateValue("said", said);
  if (asks && asks.word !== page.word) {
    page.word = asks.word;
    window.attnvizFirst = () => tellPainted(asks);
  }
  if (data.offers) page.take(data.offers);
  if (!data.drawn) return;
  page.hear(data.drawn);
  watch(parentElement);
}
