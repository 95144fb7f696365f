// The page's connection to the server: says when it is away, brings what the page holds when it is back, and makes
// each change of the reader one step back in the browser's history.

import { Leaving } from "./leaving.js";
import { Presses } from "./presses.js";
import { markOf, Steps } from "./steps.js";
import { partOf } from "../../../scripts/parts.js";

/** @import { Drawing, Learnt, Trigger } from "../../../scripts/types.js" */
/** @import { Led } from "./steps.js" */

/**
 * What Python sends: the number of the last message "back" that it heard, the messages that it has answered, what is
 * said, what the address should hold, and where the browser's Back or Forward that was answered last has led.
 * @typedef {Learnt & { back: number, words: { away: string, back: string }, led: Led }} Data
 */

const BACK_SAID_MS = 4000; // how long it is said that the connection is back
const MEND_MS = 800; // until an address that lacks something is late, and not on its way
const MENDS = 3;
const SAFE_MS = 1000; // from an address to its being the one that a reload loads: the reader may have asked for it before
const HEARD_MS = 5000;

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
    this.stays = true; // whether no reload was asked for, which a busy server answers late
    window.addEventListener("beforeunload", () => (this.stays = false));
    for (const type of ["pointerdown", "keydown"]) window.addEventListener(type, () => (this.stays = true), true);
    const leaving = new Leaving();
    this.presses = new Presses(leaving);
    this.steps = new Steps(this.presses, leaving);
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
    this.tellAnswered();
  }

  // What a page tells that has run by itself: nothing else is drawn then.
  /** @param {Learnt} learnt */
  learn(learnt) {
    this.data = { ...this.data, ...learnt };
    this.settle();
    this.tellAnswered();
  }

  // What the address is to say once the component of a key was answered beside the page's runs: Streamlit's page hears
  // of it too, sooner or later.
  /** @param {string} key @param {string} query */
  enter(key, query) {
    this.awaits(key);
    this.steps.put("push", {}, "", location.pathname + (query && `?${query}`));
  }

  // For what is no longer drawn, and hears of its answers here alone.
  tellAnswered() {
    window.dispatchEvent(new CustomEvent("attnviz:answered", { detail: this.data.answered }));
  }

  // Tell what a component had to tell when its page was left.
  /** @param {string} key @param {object} message */
  tellFor(key, message) {
    this.expect(key);
    this.trigger("left", { key, ...message });
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
    else this.tellAnswered();
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
    this.awaits(key);
    this.keepQuiet();
  }

  // The component of a key sends a change of the reader, by whatever way.
  /** @param {string} key */
  awaits(key) {
    this.steps.expected.add(key);
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
    const { answered } = this.data;
    setTimeout(() => this.stays && window.dispatchEvent(new CustomEvent("attnviz:safe", { detail: answered })), SAFE_MS);
    return true;
  }
}
