// What a hand did on a component, kept in the page until Python has answered it. Messages are numbered, so that an
// answer can be told from an older one, and each waits for the answer to the one before: run together, two changes
// would be one step in the browser's history. They are sent again after the connection was away, where no answer
// comes, and, by the tab's own storage, after a reload that came before the answer.

/**
 * What is sent: numbered, so that its answer is told from others.
 * @template Parts
 * @typedef {{ number: number, parts: Parts }} Message
 */

const UNANSWERED = "attnviz.unanswered.";
const PATIENCE_MS = 5000; // twice as long after each try
const AGAIN_MS = 100; // between looks whether Back is answered
const ADDRESSES = 3; // that are kept beside the one of now
const HELD_MS = 1000; // that something may come before a message, at most
const NEXT = ["pointerdown", "keydown"]; // what the reader does next comes after it; Back, before: see listens
const HEARD = ["attnviz:answered", "attnviz:back", "attnviz:address", "attnviz:drawn", "attnviz:safe", "popstate"];

/** @template {object} Parts what a message of this component holds */
export class Sender {
  // `again(parts)` takes once more what is from before a reload; what `before(message)` promises comes before a message
  // is sent.
  /** @param {HTMLElement} root @param {(parts: Parts) => void} again @param {(message: Message<Parts>) => Promise<void> | null} before */
  constructor(root, again = (parts) => this.send(parts), before = () => null) {
    this.root = root;
    this.again = again;
    this.before = before;
    /** @type {Message<Parts> | null} */
    this.held = null; // the first of the line, while something comes before it
    this.number = 0;
    /** @type {Message<Parts>[]} */
    this.line = []; // what is not answered, of which the first has been sent
    /** @type {Message<Parts>[]} */
    this.kept = []; // what is not in the address ...
    /** @type {string[]} */
    this.addresses = []; // ... and which there were since
    /** @type {string | undefined} */
    this.key = undefined; // of the component, once it has been drawn
    this.trigger = (/** @type {unknown} */ _message) => {};
    this.patience = PATIENCE_MS;
    this.sentAt = 0;
    this.took = 0; // milliseconds, until the last answer
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {{ number: number, at: number } | null} */
    this.elsewhere = null; // what another page was told for it last, and when
    for (const type of HEARD) window.addEventListener(type, this);
    for (const type of NEXT) window.addEventListener(type, this, true);
  }

  get waiting() {
    return this.line[0] ?? null;
  }

  // Whether an answer is later than it should be.
  get late() {
    return this.waiting !== null && this.patience > PATIENCE_MS;
  }

  // With each drawing: the number that Python has answered last, and how to tell it more.
  /** @param {string} key @param {number} answered @param {(message: unknown) => void} trigger */
  receive(key, answered, trigger) {
    const first = this.key === undefined;
    const kept = first ? keptUnder(key) : null;
    Object.assign(this, { key, trigger });
    if (first) window.dispatchEvent(new CustomEvent("attnviz:drawn", { detail: this }));
    if (this.takeAnswer(answered)) {
      clearTimeout(this.timer);
      this.tellLine();
      if (this.waiting) this.begin(this.waiting);
      else this.timer = setTimeout(() => this.kept.length && window.attnvizConnection?.askForAddress(), PATIENCE_MS);
    }
    if (!kept) return;
    /** @type {Message<Parts>[]} */
    const messages = kept.since === performance.timeOrigin || (kept.addresses ?? []).some(wasHere) ? (kept.messages ?? []) : [];
    const lost = messages.filter(({ number }) => number > answered);
    if (lost.length) setTimeout(() => this.waiting || lost.forEach(({ parts }) => this.again(parts)));
    else sessionStorage.removeItem(UNANSWERED + key);
  }

  /** @param {number} answered */
  isAnswered(answered) {
    return this.waiting !== null && this.waiting.number <= answered;
  }

  // Return whether anything in the line has been answered, which then no longer waits.
  /** @param {number} answered */
  takeAnswer(answered) {
    if (!this.isAnswered(answered)) return false;
    while (this.isAnswered(answered)) this.line.shift();
    this.took = performance.now() - this.sentAt;
    window.attnvizConnection?.answered(this.key ?? "");
    return true;
  }

  // With `replaces`, as while a key is held down, what waits to be sent is out of date. What `hurries` waits for nothing:
  // what the reader does next is on its way.
  /** @param {Parts} parts */
  send(parts, replaces = false, hurries = false) {
    this.number = this.next;
    if (replaces && this.line.length > 1) this.drop(this.line.pop());
    const message = { number: this.number, parts };
    this.line.push(message);
    this.kept.push(message);
    this.keep();
    this.tellLine();
    if (this.line.length === 1) this.begin(message, hurries);
  }

  tellLine() {
    this.root.classList.toggle("unanswered", this.line.length > 0);
  }

  /** @param {Message<Parts> | undefined} message */
  drop(message) {
    this.kept = this.kept.filter((each) => each !== message);
  }

  get next() {
    return Math.max(Date.now(), this.number + 1);
  }

  // Send what is no change of the reader, and needs no answer; `say` is given what sends it with the last number.
  /** @param {(send: (parts: Parts) => void) => void} say */
  ask(say) {
    const page = window.attnvizConnection;
    if (page?.listens === false) return; // a run that answers Back draws all of the page
    page?.keepQuiet();
    say((parts) => this.trigger({ number: this.number, ...parts }));
  }

  /** @param {Message<Parts>} message */
  begin(message, hurries = false) {
    const before = hurries || window.attnvizConnection?.listens === false ? null : this.before(message);
    if (!before) return this.deliver();
    this.held = message;
    this.sentAt = performance.now();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.goOn(), HELD_MS); // a page that is out of sight paints nothing
    before.then(() => this.held === message && this.goOn());
  }

  // Send what is held, before anything else is sent.
  goOn() {
    if (this.held && this.held === this.waiting) this.deliver();
  }

  // While offline it waits for the connection: nothing takes it.
  deliver(patience = PATIENCE_MS) {
    const page = window.attnvizConnection;
    this.held = null;
    this.patience = patience;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.remind(), patience);
    if (!this.waiting || page?.ready === false) return;
    if (!this.root.isConnected) return this.tellElsewhere();
    if (page?.listens === false) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.deliver(patience), AGAIN_MS);
      return;
    }
    page?.expect(this.key ?? "");
    this.sentAt = performance.now();
    this.trigger({ number: this.waiting.number, ...this.waiting.parts });
  }

  remind() {
    /** @type {HTMLElement | null} */
    const app = document.querySelector("[data-testid=stApp]");
    if (!this.waiting || !this.root.isConnected) return;
    if (app?.dataset.testScriptState === "running") this.timer = setTimeout(() => this.remind(), PATIENCE_MS);
    else this.deliver(2 * this.patience);
    this.root.dispatchEvent(new Event("attnviz:late"));
  }

  // What the component had to tell when its page was left, the page that is open now tells in its place.
  tellElsewhere() {
    const { waiting, elsewhere } = this;
    const page = window.attnvizConnection;
    if (!waiting || !page?.listens) return;
    if (elsewhere?.number === waiting.number && performance.now() - elsewhere.at < PATIENCE_MS) return;
    this.elsewhere = { number: waiting.number, at: performance.now() };
    page.tellFor(this.key ?? "", { number: waiting.number, ...waiting.parts });
  }

  /** @param {Event} event */
  handleEvent(event) {
    const { type } = event;
    const detail = event instanceof CustomEvent ? event.detail : null;
    if (type === "popstate") this.forget(this.waiting ? this.waiting.number - 1 : Infinity); // what was answered is undone
    if (type === "attnviz:safe" && this.kept.length) this.forget(detail[this.key ?? ""] ?? 0);
    if (type === "attnviz:drawn" && detail !== this && detail.key === this.key) this.end();
    if (!this.root.isConnected) return this.outlive(type, detail);
    if (type === "attnviz:back" && this.waiting) this.deliver();
    if (type === "attnviz:address") this.keep();
    if (NEXT.includes(type)) this.goOn();
  }

  // Its page was left.
  /** @param {string} type @param {Record<string, number>} answered by the keys of components */
  outlive(type, answered) {
    if (type !== "attnviz:answered") return;
    this.takeAnswer(answered[this.key ?? ""] ?? 0);
    this.tellElsewhere();
  }

  // The component was drawn anew, and takes from the tab's storage what is left.
  end() {
    clearTimeout(this.timer);
    this.line = this.kept = [];
    for (const type of HEARD) window.removeEventListener(type, this);
    for (const type of NEXT) window.removeEventListener(type, this, true);
  }

  // For a reload. Its answer is not enough to forget it: the address has to hold what came of it. An address that is
  // written after the reload was asked for is not the one that is loaded.
  keep() {
    if (!this.kept.length) return;
    if (this.addresses.at(-1) !== location.href) this.addresses = [...this.addresses.slice(-ADDRESSES), location.href];
    try {
      sessionStorage.setItem(UNANSWERED + this.key, JSON.stringify({ since: performance.timeOrigin, addresses: this.addresses, messages: this.kept }));
    } catch {
      // No storage, or no room in it: then only a reload within these milliseconds loses it.
    }
  }

  /** @param {number} safe */
  forget(safe) {
    this.kept = this.kept.filter(({ number }) => number > safe);
    if (this.kept.length) return this.keep();
    this.addresses = [];
    try {
      sessionStorage.removeItem(UNANSWERED + this.key);
    } catch {
      // as above
    }
  }
}

/** @param {string} key @returns {{ since?: number, addresses?: string[], messages?: Message<any>[] } | null} */
function keptUnder(key) {
  try {
    return JSON.parse(sessionStorage.getItem(UNANSWERED + key) ?? "null");
  } catch {
    return null;
  }
}

// Whether this is the address of now, or the one that the page was opened with.
/** @param {string} address */
function wasHere(address) {
  return [location.href, performance.getEntriesByType("navigation")[0]?.name].includes(address);
}
