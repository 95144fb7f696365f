// Streamlit writes a new entry into the browser's history for what the server changes in the address, and none for a
// control, so that one Back would undo a control together with what came before it. Here each change of the reader is
// one entry, and what only follows from it changes that entry.

/** @import { Leaving } from "./leaving.js" */
/** @import { Presses } from "./presses.js" */

/** @typedef {{ times: number, mark: string }} Led how often Back or Forward was answered, and where the last of these has led */

const IDLE_MS = 1500;
const GIVEN_UP_MS = 15_000; // a busy server begins late
const HISTORY = "72,1"; // BackMsg.rerun_script.is_history_navigation, field 9

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

export class Steps {
  /** @param {Presses} presses @param {Leaving} leaving */
  constructor(presses, leaving) {
    this.leaving = leaving;
    this.waits = false; // whether Back is to be told, in a moment
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
    window.addEventListener("popstate", (event) => this.goneBack(event), true);
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
    return this.waits || (this.led !== null && performance.now() - this.led.at < GIVEN_UP_MS);
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

  /** @param {Event} event */
  goneBack(event) {
    this.clear();
    this.acted = false;
    this.silent = true;
    this.waits = this.leaving.holds(event, () => window.dispatchEvent(new Event("popstate")));
  }
}
