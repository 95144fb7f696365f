// The types of what each component receives, and of what the page's scripts send each other.

import type { Address } from "./address.js";

/** The arguments that Streamlit passes to a component at each drawing. */
export interface Drawing<Data> {
  parentElement: ParentNode;
  data: Data;
  setTriggerValue: Trigger;
  setStateValue: Trigger;
}

/** Sends a value from a component to Python. */
export type Trigger = (name: string, value: unknown) => void;

declare global {
  interface Window {
    /** The page's state; undefined for a component on a page outside the app. */
    attnvizAddress?: Address;
    /** Tells the server that the page's first paint is done. */
    attnvizFirst?: () => void;
    /** Draws a board on a page of its own: attnviz/board/hosts/page.js. */
    attnvizBoard: typeof import("../board/hosts/page.js").default;
    /** The element with the head in view of a real model, which the grid of all heads draws. */
    attnvizHead?: HTMLElement;
    /** The numbers of the training that is shown, for each moment that has arrived so far. */
    attnvizMoments?: { readonly id: string; readonly mark: string; readonly moments: Float32Array[] };
    /** The server's address. See attnviz/app/server/page_html.py. */
    __streamlit?: { readonly BACKEND_BASE_URL: string };
  }

  interface WindowEventMap {
    /** Names the query whose numbers the board shows; null for numbers that Python hasn't computed. */
    "attnviz-numbers": CustomEvent<string | null>;
    /** The moments of another training have arrived. */
    "attnviz-moments": Event;
    /** Another grid of heads now draws the head in view. */
    "attnviz-head": Event;
    /** A moment of a training, for the board with this key: all matrices of the model by name. */
    "attnviz-moment": CustomEvent<{ key: string; step: number; matrices: Matrices }>;
    /** The value of the temperature's slider, for a board of the set-up. */
    "attnviz-temperature": CustomEvent<number>;
    /** The token that is picked on the board with this key. */
    "attnviz-picked": CustomEvent<{ key: string; query: number }>;
    /** Asks for a board's list of keys: whether there is one, or to open it. A board that has one cancels the event. */
    "attnviz-keys": CustomEvent<"offer" | "open">;
    "attnviz:away": Event;
    "attnviz:back": Event;
    /** The reader follows a link to another page. */
    "attnviz:leaves": Event;
    /** The page's query has changed. */
    "attnviz:query": CustomEvent<string>;
  }
}
