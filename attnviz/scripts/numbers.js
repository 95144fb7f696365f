// Torch's numbers of a query, where the server is asked for them beside the page's runs: see attnviz/app/server/numbers.py.

const GIVEN_UP_MS = 5000;

/** @param {string} at @param {object} asked */
export async function numbersFor(at, asked) {
  const address = new URL(at, window.__streamlit?.BACKEND_BASE_URL ?? new URL(".", location.href));
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(asked), signal: AbortSignal.timeout(GIVEN_UP_MS) });
  return !answer.ok || answer.status === 204 ? null : answer.json();
}
