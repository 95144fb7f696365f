// The page's state is its path and one query, and both are mirrored in the address at once. Each report from the server
// names the query that was drawn. If that isn't the page's query, the page sends its whole query again: as a
// component's value, or by a `popstate` event to open another page. The server then sets the Streamlit controls that
// differ from the query. There is no other protocol: a lost message, a restarted server and hours offline all look the
// same, as "what was drawn isn't what I have".

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
 * A change that a button makes on the server. The page applies each one once; with a `path`, it also opens that page.
 * @typedef {{ id: string, patch: Patch, path: string | null }} Offer
 */
/**
 * A run's report: the mark of the query that it was asked for (`from`), the query that it drew (`is`), its page, the
 * number `n` of the last message that it received, and the Streamlit fields that the page writes into the address.
 * @typedef {{ from: string, is: string, page: string, n: number, offers: Offer[], fields: Fields[] }} Drawn
 */

const { PUT_OFF: { REST_MS, TIMES, MOST_MS }, CONTROLS, OPENED, BY_CLASS } = CONSTANTS;
const PATIENCE_MS = 1000; // how long a sent query may stay undrawn before it is sent again ...
const MOST_PATIENCE_MS = 4000; // ... a time that doubles with each attempt, up to this
const LOOKS_MS = 100; // how often the address is polled
const LATE = ".st-key-setup [data-testid=stSkeleton]"; // a control not drawn yet; a run would leave it at its default
const OPEN_CELL = "#portal :is(input, textarea)"; // the open cell of a Streamlit table
const CELL_SENT_MS = 250; // after this, a table has sent what was typed: it waits 150 ms for more

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
    this.controls = CONTROLS; // names of the parameters that controls are bound to
    this.word = ""; // the secret word of the session that waits for the first paint
    this.version = 1; // counts the changes of the query
    this.versions = new Map([[markOf(this.query), 1]]);
    /** @type {(said: { query: string, taken: string, n: number }) => void} */
    this.setValue = () => {};
    /** @type {Drawn | null} */
    this.drawn = null; // the server's last report
    /** @type {Map<string, Fields>} */
    this.fields = new Map();
    /** @type {Map<string, number>} */
    // How often each parameter was changed by its fields since the server last caught up with the page.
    this.mirrors = new Map();
    /** @type {Set<string>} */
    this.taken = new Set(); // ids of the offers applied
    this.patience = PATIENCE_MS;
    this.waits = 100; // polls left to wait for controls, over the page's life
    this.pending = false; // whether a change still has to be sent
    this.leads = false; // whether sending it opens another page
    this.sentAt = 0;
    this.took = 0; // milliseconds that the last answer took
    this.reconnectedAt = 0; // when the connection was last restored
    /** @type {(() => void) | null} */
    this.undone = null; // the reader's last action, to repeat once the new server has drawn this page
    /** @type {string | null} */
    this.source = null; // the source of the change that made the last history entry
    this.sentBy = 0; // when a table will have sent what was typed
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.seen = location.href; // the address as the page last wrote it
    /** @type {"push" | "replace"} */
    this.how = "replace"; // the way it was last written
    window.navigation?.addEventListener("currententrychange",
      ({ navigationType }) => this.look(navigationType ?? "push"));
    setInterval(() => this.look(), LOOKS_MS); // for browsers without the Navigation API, before 2026
    window.addEventListener("popstate", (event) => event.isTrusted && this.follow());
    for (const type of ["pointerdown", "keydown"]) window.addEventListener(type, () => this.act(), true);
    window.addEventListener("click", (event) => this.hold(event), true);
    window.addEventListener("click", (event) => this.leave(event), true);
    window.addEventListener("attnviz:back", () => this.sendAll());
    listen(() => this.fields.values(), () => this.query, (patch, source) => this.mirror(patch, source));
  }

  // ---- the reader's changes: applied at once here, in the address, and in every view

  // With `source`, a change replaces the last one if that has the same source: a held key makes one history entry.
  /** @param {Patch} patch @param {{ source?: string | null }} [how] @returns {number} the new version */
  change(patch, { source = null } = {}) {
    const query = namingItsExample(patched(this.query, ofOwnWords(this.query, patch, BY_CLASS)), CONTROLS);
    if (query === this.query) return this.version;
    this.become(query);
    this.write(source !== null && source === this.source && this.pending ? "replace" : "push");
    this.source = source;
    this.announce();
    this.sendIn(this.rest);
    return this.version;
  }

  // A change of a Streamlit field, which Streamlit sends to the server by itself. The server will offer the same
  // change; both make one history entry.
  mirror(/** @type {Patch} */ patch, /** @type {string} */ source) {
    this.mirrors.set(source, (this.mirrors.get(source) ?? 0) + 1);
    this.change(patch, { source });
    this.expect();
  }

  // Opens a page. If that page is open already, it starts again from its beginning.
  go(/** @type {string} */ page) {
    const opened = pathOf(page) === this.path ? OPENED[this.page] ?? [] : [];
    this.path = pathOf(page);
    const query = patched(this.query, Object.fromEntries(opened.map((name) => [name, null])));
    if (query !== this.query) this.become(query);
    this.write("push");
    this.leads = true;
    this.announce();
    this.send();
  }

  become(/** @type {string} */ query) {
    this.query = namingItsExample(query, CONTROLS);
    this.version += 1;
    const { mark, version } = this;
    // The last 64 versions are kept, because answers to older ones no longer come.
    const others = [...this.versions].filter(([each]) => each !== mark).slice(-63);
    this.versions = new Map([...others, [mark, version]]);
  }

  // The version of a query, by its mark; 0 if it isn't among the last 64, or the page never had it.
  versionOf(/** @type {string} */ mark) {
    return this.versions.get(mark) ?? 0;
  }

  get mark() {
    return markOf(this.query);
  }

  get page() {
    return pageOf(this.path);
  }

  // Before any press or key: sends the changes that are still waiting, so that they count first.
  act() {
    this.look();
    // The new server can't know the fragment that a control's message names, so everything is sent again later.
    if (this.unknown) this.undone ??= () => this.sendAll();
    if (document.querySelector(OPEN_CELL)) this.sentBy = performance.now() + CELL_SENT_MS;
    if (this.pending) this.send();
  }

  // After a reconnect, the server ignores buttons that it hasn't drawn: repeat the press once it has.
  hold(/** @type {MouseEvent} */ event) {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (!button || !this.unknown || performance.now() - this.reconnectedAt > MOST_PATIENCE_MS) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.undone = () => button.click();
  }

  // Follow a link only once the control that loses focus by this click has sent its value, which it does in a later
  // task: sent after the change of page, the value would bring the old page back.
  leave(/** @type {MouseEvent} */ event) {
    const link = event.composedPath().find((each) => each instanceof HTMLAnchorElement);
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button;
    if (!(link instanceof HTMLAnchorElement) || elsewhere || link.target || link.download || link.search
      || link.origin !== location.origin) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    window.dispatchEvent(new Event("attnviz:leaves"));
    setTimeout(() => this.go(link.pathname), Math.max(0, this.sentBy - performance.now()));
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

  // The reader went back or forward, or followed a link to another place in the page.
  follow() {
    this.become(ordered(location.search));
    this.path = location.pathname;
    this.seen = location.href;
    this.patience = PATIENCE_MS;
    this.source = null;
    this.leads = false;
    this.expect();
    this.announce();
  }

  // The address isn't what the page wrote: a Streamlit control was moved, Streamlit restored what an earlier run knew,
  // or a write of ours is missing, as browsers silently drop writes that come too often.
  look(how = "replace") {
    if (how === "traverse" || this.mirrored) return;
    const { href, pathname, search } = location;
    if (href === this.seen) return this.write(this.how);
    if (pathname !== this.path) return; // a button's page, or that of an earlier run
    const [now, then] = [search, new URL(this.seen).search].map((query) => new URLSearchParams(query));
    const names = [...new Set([...now.keys(), ...then.keys()])].filter((name) => now.get(name) !== then.get(name));
    this.write("replace"); // the previous entry stays ...
    this.source = null;
    if (how !== "replace" || !names.every((name) => CONTROLS.includes(name))) return;
    const moved = Object.fromEntries(names.map((name) => [name, now.get(name)]));
    this.become(patched(this.query, ofOwnWords(this.query, moved, BY_CLASS)));
    this.write("push"); // ... and the move makes an entry of its own
    this.sendIn(this.announce() ? this.rest : 0);
  }

  // ---- the server

  send(again = false) {
    if (again && this.busy) return this.sendIn(this.patience, true);
    const leads = this.leads || (again && this.drawn?.page !== this.page);
    if (!leads && document.querySelector(LATE) && this.waits-- > 0) return this.sendIn(LOOKS_MS, again);
    this.look(); // takes in controls that were moved meanwhile; the server would set them back
    if (again && location.pathname !== this.path) this.write("replace"); // a late run changed the address
    this.leads = false;
    this.sentAt = performance.now();
    this.expect();
    if (leads) window.dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
    else this.sendValue();
  }

  // `n` differs each time: Streamlit doesn't send an equal value again, as after undo and redo.
  sendValue() {
    this.setValue({ query: this.query, taken: [...this.taken].at(-1) ?? "", n: this.sentAt });
  }

  // After a reconnect, send everything: a new server doesn't know this page, nor its fragments.
  sendAll() {
    this.reconnectedAt = this.sentAt = performance.now();
    this.sendValue();
    if (!this.answered) this.expect();
  }

  // Whether the server hasn't drawn this page since the last reconnect.
  get unknown() {
    return (this.drawn?.n ?? 0) < this.reconnectedAt;
  }

  // Whether a message sent now would be lost: a run is in progress, or the connection is lost.
  get busy() {
    return this.away || stateOfApp("testScriptState") === "running";
  }

  get away() {
    return (stateOfApp("testConnectionState") ?? "CONNECTED") !== "CONNECTED";
  }

  sendIn(/** @type {number} */ ms, again = false) {
    clearTimeout(this.timer);
    this.pending = !again;
    this.timer = setTimeout(() => this.send(again), ms);
  }

  // How long to wait for further changes before sending: longer on a busy server, so that one run takes several.
  get rest() {
    return Math.max(REST_MS, Math.min(TIMES * this.took, MOST_MS));
  }

  // Whether the server has drawn the page's query.
  get answered() {
    const { drawn } = this;
    return drawn !== null && drawn.page === this.page && (drawn.is === this.query || drawn.from === this.mark);
  }

  // Send the query again unless a report of it arrives in time.
  expect() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.pending = false;
    if (this.answered) return; // no report would follow, as Streamlit redraws only what differs
    this.sendIn(this.patience, true);
    this.patience = Math.min(2 * this.patience, MOST_PATIENCE_MS);
  }

  // Applies the server's offers, before controls that the server has set write to the address.
  take(/** @type {Offer[]} */ offers) {
    for (const { id, patch: offered, path } of offers) {
      if (this.taken.has(id)) continue;
      this.taken.add(id);
      // If a field has changed again since, the offer may hold its earlier text: skip it, as the newer change is on its
      // way.
      const patch = Object.fromEntries(Object.entries(offered).filter(([name]) => (this.mirrors.get(name) ?? 0) < 2));
      const there = path !== null && path === pageOf(location.pathname); // Streamlit has made the history entry already
      if (path !== null) this.path = pathOf(path);
      const query = namingItsExample(patched(this.query, patch), CONTROLS);
      if (query === this.query && this.mirrored) continue;
      // A text in JSON was written by the page itself; the offer holds the same in its packed form, so it makes no new
      // entry.
      const said = new URLSearchParams(this.query);
      const same = Object.keys(patch).every((name) => said.get(name)?.startsWith("{"));
      this.become(query);
      this.write(there || same ? "replace" : "push");
      this.source = null;
      this.announce();
    }
  }

  // Called with each report of the server.
  receive(/** @type {Drawn} */ drawn) {
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
      this.query = is; // a correction makes no history entry and no version: it is what was drawn
      this.versions.set(this.mark, this.version);
      this.write("replace");
      this.announce();
    }
    if (location.pathname !== this.path) this.write("replace");
    if (!this.answered) {
      if (!this.pending && this.timer === undefined) this.sendIn(REST_MS);
      return;
    }
    this.mirrors.clear();
    if (this.sentAt) this.took = performance.now() - this.sentAt;
    this.sentAt = 0;
    if (this.pending) return;
    this.patience = PATIENCE_MS;
    this.expect();
    this.announce();
  }

  // Announces the query. Returns whether a listener fetches the numbers itself, so that the server's run can wait.
  announce() {
    return !window.dispatchEvent(new CustomEvent("attnviz:query", { detail: this.query, cancelable: true }));
  }
}

// The two mounts of this component: the first, before all controls, receives the page's query and reports the page's
// first paint (`asks`); the second gets the run's report (`drawn`).
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
  page.receive(data.drawn);
  watch(parentElement);
}
