// What Streamlit draws of the page's state: a part that hears it, before any control, and one that tells what was
// drawn.

import { Address } from "./address.js";

/** @import { Drawn, Offer } from "./address.js" */
/** @import { Drawing } from "./types.js" */

/** @typedef {{ ears?: boolean, offers?: Offer[], opening?: string, drawn?: Drawn }} Data */

export default function addressPart(/** @type {Drawing<Data>} */ { data, setStateValue }) {
  const page = (window.attnvizAddress ??= new Address());
  if (data.ears) page.setValue = (said) => setStateValue("said", said);
  if (data.opening) page.opening = data.opening;
  if (data.offers) page.take(data.offers);
  if (data.drawn) page.hear(data.drawn);
}
