// The list of the board's keys, in a dialog over the board. `?` opens it, as do a small button in the dock and an entry
// of the app's menu.

import { button, make } from "./cells/elements.js";
import { KEYS, press } from "./keys.js";
import { say } from "../scripts/sentences.js";
import { shortcutsOf } from "../scripts/shortcuts.js";

// The colours of the board. They're copied, because the dialog stands outside the board and doesn't inherit them.
const COLOURS = ["--ink", "--paper", "--rim", "--soft"];

export class KeysList {
  constructor(/** @type {Board} */ board) {
    this.board = board;
    /** @type {HTMLDialogElement | null} */
    this.dialog = null;
    this.button = button("keys-button", "?", () => this.open(), { "aria-label": say("board.keys_list.open"),
      title: say("board.keys_list.open"), "aria-haspopup": "dialog", "aria-keyshortcuts": shortcutsOf("list") });
    board.root.addEventListener("keydown", (event) => this.keydown(event), board.ended);
    // With the focus on nothing, the first board of the page hears the key.
    window.addEventListener("keydown", (event) => event.target === document.body && this.keydown(event), board.ended);
  }

  // Reads the dialog's own state, because the browser's close event comes later.
  get isOpen() {
    return this.dialog?.open ?? false;
  }

  keydown(/** @type {KeyboardEvent} */ event) {
    if (event.defaultPrevented || this.isOpen || isWriting(event) || !press(KEYS.anywhere, this.board, event)) return;
    event.preventDefault();
  }

  // Open the dialog, beside the board, which may be laid out anew meanwhile. The browser keeps the focus inside, and
  // returns it at the end.
  open() {
    const { root } = this.board;
    const close = button("close", say("board.keys_list.close"), () => dialog.close());
    const title = make("h2", "", [say("board.keys_list.title")]);
    const dialog = this.dialog = make("dialog", "keys", [close, title, ...this.groups()],
      { "aria-label": say("board.keys_list.title") });
    const look = getComputedStyle(root);
    for (const name of COLOURS) dialog.style.setProperty(name, look.getPropertyValue(name));
    dialog.onkeydown = (event) => event.stopPropagation(); // so that the page hears no key now
    dialog.onclick = ({ target }) => target === dialog && dialog.close(); // a click outside its content closes it
    dialog.onclose = () => dialog.remove();
    root.after(dialog);
    dialog.showModal();
  }

  end() {
    this.dialog?.remove();
  }

  // The sections of the list: for cells, for the sentence, and for anywhere, with the keys that this board has.
  groups() {
    const { board } = this;
    return Object.entries(KEYS).flatMap(([where, keys]) => {
      const listed = keys.filter(({ changes, when }) => !(changes && board.data.fixed) && (when?.(board) ?? true));
      if (!listed.length || (where === "sentence" && !board.data.sentence)) return [];
      const rows = listed.flatMap(({ name }) =>
        [make("dt", "", [say(`board.keys.${name}`)]), make("dd", "", [say(`board.keys_do.${name}`)])]);
      return [make("h3", "", [say(`board.keys_list.${where}`)]), make("dl", "", rows)];
    });
  }
}

// Whether a key is typed into a text box.
function isWriting(/** @type {Event} */ event) {
  const [target] = event.composedPath();
  return target instanceof HTMLInputElement && target.type !== "range";
}
