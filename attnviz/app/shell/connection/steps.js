// The page's connection to the server: says when it is away, brings what the page holds when it is back, and makes
// each change of the reader one step back in the browser's history.

import { Presses } from "./presses.js";
import { partOf } from "../../../scripts/parts.js";

/** @import { Drawing, Learnt, Trigger } from "../../../scripts/types.js" */

/**
 * What Python sends: the number of the last message "back" that it heard, the messages that it has answered, what is
 * said, what the address should hold, and where the browser's Back or Forward that was answered last has led.
 * @typedef {Learnt & { back: number, words: { away: string, back: string }, led: Led }} Data
 */

/** @typedef {{ times: number, mark: string }} Led */

const BACK_SAID_MS = 4000; // how long it is said that the connection is back
const MEND_MS = 800; // until an address that lacks something is late, and not on its way
const MENDS = 3;
const IDLE_MS = 1500;
const GIVEN_UP_MS = 15_000; // a busy server begins late
const HEARD_MS = 5000;
const HISTORY = "72,1"; // BackMsg.rerun_script.is_history_navigation, field 9

/** @param {Drawing<Data>} drawing */
export default function connection({ parentElement, data, setTriggerValue }) {
  const root = partOf(parentElement, ".connection");
  window.attnvizConnection ??= new Connection(root, data, setTriggerValue);
  window.attnvizConnection.receive(root, data, setTriggerValue);
}

export class Connection {
  /** @param {HTMLElement} root @param {Data} data @param {Trigger} trigger */
  constructor(root, data, trigger) {
    this.root = root;
    this.data = data;
    this.trigger = trigger;
    this.connected = true;
    this.back = 0; // the number of the last message that the connection is back ...
    this.heard = 0; // ... and of the last one that was answered
    this.mends = 0;
    this.opened = false;
    this.presses = new Presses();
    this.steps = new Steps(this.presses);
    this.watching = new MutationObserver(() => this.look());
    this.app = this.watch();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.mending = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.silence = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.hearing = undefined;
    new MutationObserver(() => this.closeDialog()).observe(document.body, { childList: true });
  }

  watch() {
    const app = partOf(document, "[data-testid=stApp]");
    this.watching.observe(app, { attributes: true, attributeFilter: ["data-test-connection-state", "data-test-script-state"] });
    return app;
  }

  /** @param {HTMLElement} root @param {Data} data @param {Trigger} trigger */
  receive(root, data, trigger) {
    Object.assign(this, { root, data, trigger });
    this.steps.hear(data.led);
    if (!this.app.isConnected) this.app = this.watch();
    this.look();
    if (data.back > this.heard && data.back === this.back) this.isBack();
    clearTimeout(this.mending);
    this.mending = setTimeout(() => this.mend(), this.opened ? MEND_MS : 0);
    this.opened = true;
    this.settle();
  }

  // What a page tells that has run by itself: nothing else is drawn then.
  /** @param {Learnt} learnt */
  learn(learnt) {
    this.data = { ...this.data, ...learnt };
    this.settle();
  }

  isBack() {
    this.heard = this.back;
    this.mends = 0;
    window.dispatchEvent(new Event("attnviz:back")); // who waits for an answer asks again
    this.presses.repeat(() => this.ready && this.app.dataset.testScriptState === "notRunning", () => this.owe());
    this.show(this.data.words.back);
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.connected && this.show(""), BACK_SAID_MS);
  }

  look() {
    if (this.app.dataset.testScriptState === "running") this.steps.ran = true;
    const connected = this.app.dataset.testConnectionState === "CONNECTED";
    if (connected === this.connected) return;
    this.connected = connected;
    if (connected) this.comeBack();
    else this.goAway();
    this.closeDialog();
  }

  goAway() {
    this.show(this.data.words.away);
    window.dispatchEvent(new Event("attnviz:away"));
  }

  // A server that does not know this page hears all that it holds; one that does takes what came late.
  comeBack() {
    this.steps.led = null; // which is heard with all the rest
    this.back = Math.max(Date.now(), this.back + 1);
    this.keepQuiet();
    this.trigger("back", this.back);
    clearTimeout(this.hearing);
    this.hearing = setTimeout(() => this.connected && !this.ready && this.comeBack(), HEARD_MS);
  }

  // Whether a server that knows this page is there: another one would hear of components that it never drew.
  get ready() {
    return this.connected && this.heard === this.back;
  }

  // Whether it can be sent now: before the answer to Back, it would come with what the page held until then, and bring
  // that back.
  get listens() {
    return this.ready && !this.steps.goingBack;
  }

  // What is sent next is no change of the reader.
  keepQuiet() {
    this.steps.silent = true;
  }

  // What is sent next is a change of the reader, whenever it was made.
  owe() {
    this.steps.owed += 1;
    this.keepQuiet();
  }

  // The same, of the component of a key, which will be told the answer.
  /** @param {string} key */
  expect(key) {
    this.steps.expected.add(key);
    this.keepQuiet();
  }

  /** @param {string} key */
  answered(key) {
    this.steps.expected.delete(key);
  }

  /** @param {string} text */
  show(text) {
    this.root.textContent = text;
    this.root.classList.toggle("away", !this.connected);
  }

  // Streamlit's own words are for whoever started the server.
  closeDialog() {
    if (this.connected) return;
    /** @type {HTMLElement | null} */
    const close = document.querySelector("[data-testid=stDialog] button[aria-label=Close]");
    close?.click();
  }

  // A run that a click ends early can leave the address behind: a run without a click mends that.
  mend() {
    if (!this.connected || this.mends >= MENDS) return;
    if (this.app.dataset.testScriptState !== "notRunning" || this.steps.goingBack) {
      this.mending = setTimeout(() => this.mend(), MEND_MS);
      return;
    }
    if (!this.settle()) this.askForAddress();
  }

  askForAddress() {
    if (!this.connected || this.steps.goingBack || this.mends >= MENDS) return;
    this.mends += 1;
    this.keepQuiet();
    this.trigger("mend", Date.now());
  }

  // What is in the address is safe: nobody has to keep it any longer.
  settle() {
    const { there, marks } = this.data.address;
    const address = new URLSearchParams(location.search);
    const late =
      this.steps.goingBack || // what is known of the address is from before
      Object.entries(there).some(([name, is]) => address.has(name) !== is) ||
      Object.entries(marks).some(([name, mark]) => markOf(address.get(name) ?? "") !== mark);
    if (late) return false;
    this.mends = 0;
    window.dispatchEvent(new CustomEvent("attnviz:safe", { detail: this.data.answered }));
    return true;
  }
}

// As short as it is, a text that misses something has another one.
/** @param {string} text */
export function markOf(text) {
  return `${[...text].length} ${[...text].slice(-200).join("")}`;
}

// Whether this is how Streamlit asks for the page at an address that Back or Forward led to: then it's said last.
/** @param {unknown} message */
function isHistory(message) {
  return message instanceof Uint8Array && String([...message.subarray(-2)]) === HISTORY;
}

// Whether two addresses say the same: Python and the browser write a star differently, and parameters in another order.
/** @param {{ search: string, hash: string }[]} addresses */
function isSame(...addresses) {
  const [one, other] = addresses.map(({ search, hash }) => {
    const parameters = new URLSearchParams(search);
    parameters.sort();
    return parameters + hash;
  });
  return one === other;
}

// Streamlit writes a new entry into the browser's history for what the server changes in the address, and none for a
// control, so that one Back would undo a control together with what came before it. Here each change of the reader is
// one entry, and what only follows from it changes that entry.
export class Steps {
  /** @param {Presses} presses */
  constructor(presses) {
    this.owed = 0; // changes of the reader that have been sent and not been seen in the address
    /** @type {Set<string>} */
    this.expected = new Set(); // components whose change has been sent, until it is in the address or answered
    this.silent = false; // whether what is sent next is no such change
    this.acted = false; // whether the reader did something since
    this.ran = false; // whether the server has run since something was sent to it ...
    this.sentAt = 0; // ... at this time
    /** @type {{ mark: string, at: number } | null} */
    this.led = null; // where it has led, and when, until that is answered
    this.times = 0; // how many have been answered
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.forgetting = undefined;
    this.write = { push: history.pushState.bind(history), replace: history.replaceState.bind(history) };
    history.pushState = (...entry) => this.put("push", ...entry);
    history.replaceState = (...entry) => this.put("replace", ...entry);
    window.addEventListener("popstate", () => this.goneBack(), true);
    for (const type of ["pointerdown", "keydown", "paste", "drop", "change", "input"]) {
      window.addEventListener(type, (event) => event.isTrusted && (this.acted = true), true);
    }
    const { prototype } = WebSocket;
    const { send } = prototype;
    const steps = this;
    /** @this {WebSocket} @param {Parameters<typeof send>[0]} message */
    prototype.send = function (message) {
      steps.sent(message);
      send.call(this, message);
      presses.sent(this, send);
    };
  }

  /** @param {"push" | "replace"} how @param {[state: any, title: string, to?: string | URL | null]} entry */
  put(how, ...[state, title, to]) {
    const url = new URL(to ?? location.href, location.href);
    if (url.pathname !== location.pathname) {
      this.clear();
      this.silent = true;
      this.write[how](state, title, to);
    } else if (isSame(url, location)) {
      this.write.replace(state, title, to);
    } else if (this.goingBack && !this.acted) {
      // What a run from before writes is of the entry that was left: it would take the place of the one that is seen.
    } else if (how === "replace") {
      // A control writes its own value before it is sent; after Back, the server puts right what is there.
      this.write[this.acted ? "push" : "replace"](state, title, to);
      this.silent = this.acted;
    } else {
      this.write[this.comes() ? "push" : "replace"](state, title, to);
    }
    window.dispatchEvent(new Event("attnviz:address"));
  }

  // Whether a change of the reader is on its way, which this one then is.
  comes() {
    const [first] = this.expected;
    if (first !== undefined) return this.expected.delete(first);
    this.owed -= 1;
    if (this.owed >= 0) return true;
    this.owed = 0;
    return false;
  }

  clear() {
    this.owed = 0;
    this.expected.clear();
  }

  // What is heard of Back and Forward. Until each is answered, what the server tells is of an address that was left.
  /** @param {Led} led */
  hear({ times, mark }) {
    if (times !== this.times && mark === this.led?.mark) this.led = null;
    this.times = times;
  }

  get goingBack() {
    return this.led !== null && performance.now() - this.led.at < GIVEN_UP_MS;
  }

  /** @param {unknown} [message] */
  sent(message) {
    if (isHistory(message)) this.led = { mark: markOf(location.search.slice(1)), at: performance.now() };
    if (this.acted && !this.silent) this.owed += 1;
    this.acted = this.silent = this.ran = false;
    this.sentAt = performance.now();
    clearTimeout(this.forgetting);
    this.forgetting = setTimeout(() => this.forget(), IDLE_MS);
  }

  // Not every change is seen in the address. What is answered is never forgotten here: a busy server takes its time.
  forget() {
    /** @type {HTMLElement | null} */
    const app = document.querySelector("[data-testid=stApp]");
    const over = this.ran || performance.now() - this.sentAt > GIVEN_UP_MS;
    if (over && app?.dataset.testScriptState === "notRunning") this.owed = 0;
    else this.forgetting = setTimeout(() => this.forget(), IDLE_MS);
  }

  goneBack() {
    this.clear();
    this.acted = false;
    this.silent = true;
  }
}
