// A prediction that is asked for over a board, and the board that then shows what happened.

/**
 * A question before anything is answered, and the texts that follow each choice.
 * @typedef {{ about: string, title: string, first: string, act: string, asks: string, right: string,
 *   choices: [string, string][], told: Record<string, string[]> }} ChoiceQuestion
 */

// Asks for a prediction over a board, which is then replaced by the board that shows what happened.
/**
 * @param {HTMLElement} place @param {ChoiceQuestion} asked
 * @param {(BoardData | { tables: { light: string, dark: string } })[]} boards or tables, before and after it
 * @param {{ tells?: string, dark?: boolean | null, heading?: "h1" | "h2" }} how
 */
export function ask(place, asked, [before, then], how) {
  /** @param {keyof HTMLElementTagNameMap} tag @param {string} textContent */
  const text = (tag, textContent) => Object.assign(document.createElement(tag), { textContent });
  const [said, first, next] = [text("section", ""), text("div", ""), text("div", "")];
  const buttons = asked.choices.map(([choice, label]) => {
    const button = text("button", label);
    button.onclick = () => answer(choice);
    return button;
  });
  const { heading = "h2" } = how;
  const lines = [asked.first, asked.act, asked.asks].map((each) => text("p", each));
  said.append(text(heading, asked.title), ...lines, ...buttons);
  place.append(said, first);
  const draw = (/** @type {HTMLElement} */ at, /** @type {typeof before} */ shown) => {
    if (!("tables" in shown)) return window.attnvizBoard(at, shown, how);
    const theme = how.dark ?? matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    document.documentElement.dataset.theme = theme;
    at.innerHTML = shown.tables[theme];
    return null;
  };
  const board = draw(first, before);
  const answer = (/** @type {string} */ choice) => {
    const told = [asked.act, ...asked.told[choice]].map((each) => text("p", each));
    said.replaceChildren(text(heading, asked.title), ...told);
    said.tabIndex = -1;
    said.focus();
    board?.end();
    first.replaceWith(next);
    draw(next, then);
    const detail = { about: asked.about, choice, right: choice === asked.right };
    if (how.tells && window.parent !== window) window.parent.postMessage({ attnviz: "predicted", detail }, how.tells);
  };
}
