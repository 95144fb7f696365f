// What every component of the page is given, and what the page's scripts tell each other.

import type { Address } from "./address.js";

/** What Streamlit gives a component with each drawing. */
export interface Drawing<Data> {
  parentElement: ParentNode;
  data: Data;
  setTriggerValue: Trigger;
  setStateValue: Trigger;
}

/** How a component tells Python of something. */
export type Trigger = (name: string, value: unknown) => void;

declare global {
  interface Window {
    /** The page's state, where there is one: a component in a page of its own has none. */
    attnvizAddress?: Address;
    /** Tells the server that the page's first picture has been painted. */
    attnvizFirst?: () => void;
    /** Draws a board of a page of its own: attnviz/board/in_page.js. */
    attnvizBoard: typeof import("../board/in_page.js").default;
    /** The head in view of a real model, drawn by the pictures of all heads. */
    attnvizHead?: HTMLElement;
    /** The numbers of each moment of the training that is shown, as far as they have come. */
    attnvizMoments?: { readonly id: string; readonly mark: string; readonly moments: Float32Array[] };
    /** Where the server is. See attnviz/app/server/where.py. */
    __streamlit?: { readonly BACKEND_BASE_URL: string };
  }

  interface WindowEventMap {
    /** Whose numbers the board shows; null for numbers that Python has not made. */
    "attnviz-numbers": CustomEvent<string | null>;
    /** The kept moments of another training are there. */
    "attnviz-moments": Event;
    /** Another grid of heads draws the head in view. */
    "attnviz-head": Event;
    /** A moment of a training, for the board of this key: every matrix of the whole model, by its name. */
    "attnviz-moment": CustomEvent<{ key: string; step: number; matrices: Matrices }>;
    /** Where the temperature's slider stands, for a board of the set-up. */
    "attnviz-temperature": CustomEvent<number>;
    /** Which token is picked on the board of this key. */
    "attnviz-picked": CustomEvent<{ key: string; query: number }>;
    "attnviz:away": Event;
    "attnviz:back": Event;
    /** A link leads to another page. */
    "attnviz:leaves": Event;
    /** The page's query is another one. */
    "attnviz:query": CustomEvent<string>;
  }
}
