// What every component of the page is given, and what the page's scripts tell each other.

import type { Connection } from "../app/shell/connection/connection.js";
import type { Matrices } from "../board/types.js";

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

/** What Python tells the page's connection: which messages it has answered, and what the address should hold. */
export interface Learnt {
  answered: Record<string, number>;
  address: { there: Record<string, boolean>; marks: Record<string, string> };
}

declare global {
  interface Window {
    /** The page's connection, where there is one: a component in a page of its own has none. */
    attnvizConnection?: Connection;
    /** Tells the server that the page's first picture has been painted. */
    attnvizFirst?: () => void;
    /** Once the heads of a real model, drawn last, have been painted. */
    attnvizHeads?: Promise<void>;
    /** The numbers of all kept moments of the training that is shown, one moment after the other. */
    attnvizMoments?: { readonly id: string; readonly numbers: Float32Array };
    /** Where the server is. See attnviz/app/server/where.py. */
    __streamlit?: { readonly BACKEND_BASE_URL: string };
  }

  interface WindowEventMap {
    /** Whose numbers the board shows; null for numbers that Python has not made. */
    "attnviz-numbers": CustomEvent<string | null>;
    /** The kept moments of another training are there. */
    "attnviz-moments": Event;
    /** A moment of a training, for the board of this key: every matrix of the whole model, by its name. */
    "attnviz-moment": CustomEvent<{ key: string; step: number; matrices: Matrices }>;
    /** Which token is picked on the board of this key. */
    "attnviz-picked": CustomEvent<{ key: string; query: number }>;
    "attnviz:away": Event;
    "attnviz:back": Event;
    "attnviz:address": Event;
    /** The numbers of the messages that Python has answered last, by the keys of components. */
    "attnviz:answered": CustomEvent<Record<string, number>>;
    /** What sends a component's messages, once it is drawn for the first time. */
    "attnviz:drawn": CustomEvent<object>;
    /** The numbers of the last messages that the address holds, by the keys of components. */
    "attnviz:safe": CustomEvent<Record<string, number>>;
  }
}
