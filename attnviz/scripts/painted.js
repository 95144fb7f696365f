// When something has been painted, and where the server is told that: see attnviz/app/session/painting.py.

/** @typedef {{ at: string, word: string, number: number }} Asks where, and what */

const UNSEEN_MS = 300; // after which nothing waits for pictures any longer: of a page out of sight, none is painted

// What is drawn now has been painted.
/** @returns {Promise<void>} */
export function painted() {
  return new Promise((done) => {
    requestAnimationFrame(() => setTimeout(done));
    setTimeout(done, UNSEEN_MS);
  });
}

// The server waits a little where it hears nothing, so there is nothing to be done about that.
/** @param {Asks} asks */
export function tellPainted({ at, word, number }) {
  const address = new URL(at, window.__streamlit?.BACKEND_BASE_URL ?? new URL(".", location.href));
  const headers = { "Content-Type": "application/json" };
  fetch(address, { method: "POST", headers, body: JSON.stringify({ word, number }) }).catch(() => {});
}
