// Buttons and links of Streamlit's own that a reader pressed. Streamlit sends a press once and forgets it: pressed
// just as the network goes silent, it would be lost. Here each press is followed by a heartbeat, which the server
// answers in order; what was not answered when the connection went is pressed again when it is back.

/** @import { Leaving } from "./leaving.js" */

const PAGES = "[data-testid=stTopNavLink], [data-testid=stTopNavDropdownLink], [data-testid=stSidebarNavLink]";
const PRESSED = `[data-testid=stButton] button, ${PAGES}`;
const HEARTBEAT = new Uint8Array([0x88, 0x01, 0x01]); // BackMsg.app_heartbeat, field 17
const ANSWER = "208,1,1"; // ForwardMsg.heartbeat_ack, field 26
const SENT_MS = 250; // until Streamlit has sent a press; not each is sent
const ASK_MS = 1000; // an answer is dropped where a run starts just then: so it is asked for again
const AGAIN_MS = 100; // between looks whether the page is ready for the next one

/** @typedef {{ button: HTMLElement, name: string }} Press */

export class Presses {
  /** @param {Leaving} leaving */
  constructor(leaving) {
    this.leaving = leaving;
    /** @type {(Press & { socket: WebSocket })[]} */
    this.unheard = [];
    /** @type {WeakSet<WebSocket>} */
    this.sockets = new WeakSet();
    /** @type {Press | null} */
    this.now = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.passing = undefined;
    window.addEventListener("click", (event) => this.note(event), true);
  }

  /** @param {MouseEvent} event */
  note(event) {
    const button = event.composedPath().find((each) => each instanceof HTMLElement && each.matches(PRESSED));
    if (!(button instanceof HTMLElement)) return;
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey; // in another tab, or to keep
    if (button.matches(PAGES) && !elsewhere && this.leaving.holds(event, () => button.click())) return;
    this.now = { button, name: nameOf(button) };
    clearTimeout(this.passing);
    this.passing = setTimeout(() => (this.now = null), SENT_MS);
  }

  // Called after a message has been sent on a socket.
  /** @param {WebSocket} socket @param {WebSocket["send"]} send */
  sent(socket, send) {
    if (!this.now) return;
    this.unheard.push({ ...this.now, socket });
    this.now = null;
    if (!this.sockets.has(socket)) socket.addEventListener("message", ({ data }) => this.hear(socket, data));
    this.sockets.add(socket);
    this.ask(socket, send);
  }

  /** @param {WebSocket} socket @param {WebSocket["send"]} send */
  ask(socket, send) {
    if (socket.readyState !== WebSocket.OPEN || this.oldest(socket) < 0) return;
    send.call(socket, HEARTBEAT);
    setTimeout(() => this.ask(socket, send), ASK_MS);
  }

  /** @param {WebSocket} socket @param {ArrayBuffer} data */
  hear(socket, data) {
    const short = data.byteLength < 10; // no need to look through a picture
    const heard = short && new Uint8Array(data).join() === ANSWER ? this.oldest(socket) : -1;
    if (heard >= 0) this.unheard.splice(heard, 1);
  }

  /** @param {WebSocket} socket */
  oldest(socket) {
    return this.unheard.findIndex((press) => press.socket === socket);
  }

  // One after the other: two presses of one button in one run would be one.
  /** @param {() => boolean} isReady @param {() => void} owe */
  async repeat(isReady, owe) {
    const lost = this.unheard.splice(0);
    for (const { button, name } of lost) {
      while (!isReady()) await new Promise((go) => setTimeout(go, AGAIN_MS));
      /** @type {NodeListOf<HTMLElement>} */
      const drawn = document.querySelectorAll(PRESSED);
      const there = button.isConnected ? button : [...drawn].find((each) => nameOf(each) === name);
      if (!there) continue; // nothing that can be pressed now
      owe();
      there.click();
    }
  }
}

// What tells a button from the others, also after it was drawn anew.
/** @param {HTMLElement} button */
function nameOf(button) {
  return `${button.closest("[class*=st-key-]")?.className} ${button.textContent}`;
}
