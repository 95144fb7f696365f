// What every component of the page is given, and what the page's scripts tell each other.

import type { Connection } from "../app/shell/connection.js";

/** What Streamlit gives a component with each drawing. */
export interface Drawing<Data> {
  parentElement: ParentNode;
  data: Data;
  setTriggerValue: Trigger;
}

/** How a component tells Python of something. */
export type Trigger = (name: string, value: unknown) => void;

/** What a component that sends messages is told with each drawing: its key, and the message that was answered last. */
export interface Answered {
  key: string;
  answered: number;
}

declare global {
  interface Window {
    /** The page's connection, where there is one: a component in a page of its own has none. */
    attnvizConnection?: Connection;
    /** Where the server is. See attnviz/app/server/where.py. */
    __streamlit?: { readonly BACKEND_BASE_URL: string };
  }

  interface WindowEventMap {
    /** Whose numbers the board shows; null for numbers that Python has not made. */
    "attnviz-numbers": CustomEvent<string | null>;
    "attnviz:away": Event;
    "attnviz:back": Event;
    "attnviz:address": Event;
    /** The numbers of the last messages that the address holds, by the keys of components. */
    "attnviz:safe": CustomEvent<Record<string, number>>;
  }
}
