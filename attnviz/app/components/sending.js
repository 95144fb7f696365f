// What a hand did on a component, kept in the page until Python has answered it: a message is numbered, so that its
// answer can be told from an older one. It is sent again after the connection was away, where no answer comes, and,
// by the tab's own storage, after a reload that came before the answer.

const UNANSWERED = "attnviz.unanswered.";
const PATIENCE_MS = 5000; // twice as long after each try

export class Sender {
  // `again(parts, fresh)` sends once more; `fresh` where what is sent is from before a reload.
  constructor(root, again = (parts) => this.send(parts)) {
    this.root = root;
    this.again = again;
    this.number = 0;
    this.waiting = this.kept = null; // not answered, and not in the address
    for (const type of ["attnviz:back", "attnviz:address", "attnviz:safe"]) window.addEventListener(type, this);
  }

  // With each drawing: the number that Python has answered last, and how to tell it more.
  receive(key, answered, trigger) {
    const kept = this.key === undefined ? keptUnder(key) : null;
    Object.assign(this, { key, trigger });
    if (this.waiting && this.waiting.number <= answered) {
      this.waiting = null;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.kept && window.attnvizConnection?.askForAddress(), PATIENCE_MS);
    }
    if (!kept) return;
    if (kept.number > answered && wasHere(kept.address)) setTimeout(() => this.waiting || this.again(kept.parts, true));
    else sessionStorage.removeItem(UNANSWERED + key);
  }

  send(parts) {
    this.number = this.next;
    this.waiting = this.kept = { number: this.number, parts };
    this.keep();
    this.patience = this.automatic ? 2 * this.patience : PATIENCE_MS;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.remind(), this.patience);
    this.deliver();
  }

  get next() {
    return Math.max(Date.now(), this.number + 1);
  }

  // Send what is no change of the reader, and needs no answer; `say` is given what sends it with the last number.
  ask(say) {
    const page = window.attnvizConnection;
    if (page?.ready === false) return;
    page?.keepQuiet();
    say((parts) => this.trigger({ number: this.number, ...parts }));
  }

  // While offline it waits for the connection: nothing takes it.
  deliver() {
    const page = window.attnvizConnection;
    if (this.automatic) page?.keepQuiet();
    else if (page?.ready === false) page.owe();
    if (page?.ready === false) return;
    this.trigger({ number: this.waiting.number, ...this.waiting.parts });
  }

  remind() {
    const app = document.querySelector("[data-testid=stApp]");
    if (!this.waiting || !this.root.isConnected) return;
    if (app?.dataset.testScriptState === "running") this.timer = setTimeout(() => this.remind(), PATIENCE_MS);
    else this.repeat();
  }

  repeat() {
    this.automatic = true;
    this.again(this.waiting.parts, false);
    this.automatic = false;
  }

  handleEvent({ type, detail }) {
    if (!this.root.isConnected) return;
    if (type === "attnviz:back" && this.waiting) this.repeat();
    if (type === "attnviz:address") this.keep(); // under the address of now
    if (type === "attnviz:safe" && this.kept && detail[this.key] >= this.kept.number) this.forget();
  }

  // For a reload. Its answer is not enough to forget it: the address has to hold what came of it.
  keep() {
    if (!this.kept) return;
    const { number, parts } = this.kept;
    try {
      sessionStorage.setItem(UNANSWERED + this.key, JSON.stringify({ address: location.href, number, parts }));
    } catch {
      // No storage, or no room in it: then only a reload within these milliseconds loses it.
    }
  }

  forget() {
    this.kept = null;
    try {
      sessionStorage.removeItem(UNANSWERED + this.key);
    } catch {
      // as above
    }
  }
}

function keptUnder(key) {
  try {
    return JSON.parse(sessionStorage.getItem(UNANSWERED + key));
  } catch {
    return null;
  }
}

// Whether this is the address of now, or the one that the page was opened with.
function wasHere(address) {
  return [location.href, performance.getEntriesByType("navigation")[0]?.name].includes(address);
}
