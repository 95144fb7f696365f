// Torch's numbers for an edit, asked for before a run of the page is told of it: what a run draws keeps the browser busy
// for longer than a hand should wait. As a rule no run need be told any more. See attnviz/app/components/at_once.py.

/** @import { Board } from "./board.js" */
/** @import { Changes } from "./messages.js" */
/** @import { BoardData } from "./types.js" */
/** @import { Message } from "../scripts/sending.js" */

const LATE_MS = 1000; // after which a run has been told meanwhile: of a busy server, that asks for more
const GIVEN_UP_MS = 5000;
const PAUSE_MS = 10_000; // for which a server that is far, or busy, or doesn't answer isn't asked

export class AtOnce {
  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.pausedUntil = 0;
  }

  // What a message waits for before Python is told of it; null for one that doesn't wait.
  /** @param {Message<Changes>} message */
  before(message) {
    if (!this.board.data.asks || !message.parts.edits.length || performance.now() < this.pausedUntil) return null;
    return this.show(message);
  }

  /** @param {Message<Changes>} message */
  async show({ number, parts }) {
    await Promise.resolve(); // the board takes in first what the message before this one was answered with
    const { intake, data } = this.board;
    const { asks, key, numbersOf } = data;
    if (!asks) return;
    const late = setTimeout(() => this.pause(), LATE_MS);
    window.attnvizConnection?.awaits(key);
    try {
      const sent = await numbersFrom(asks.at, { word: asks.word, key, of: numbersOf, number, ...parts });
      clearTimeout(late);
      if (sent && !intake.answer(sent, number) && intake.confirm(sent, number)) await painted();
    } catch {
      this.pause();
    }
  }

  pause() {
    this.pausedUntil = performance.now() + PAUSE_MS;
  }
}

// What the board is going to be sent; null where the server leaves that to the page's run.
/** @param {string} at @param {unknown} asked @returns {Promise<BoardData | null>} */
async function numbersFrom(at, asked) {
  const address = new URL(at, window.__streamlit?.BACKEND_BASE_URL ?? new URL(".", location.href));
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(asked), signal: AbortSignal.timeout(GIVEN_UP_MS) });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.status === 204 ? null : answer.json();
}

function painted() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}
