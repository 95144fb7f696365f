// One pointer among several: a hand has more than one finger.

// Call `acts`, by the types of events, with what the pointer of this event does from now on, wherever it goes; return
// the function that ends this.
/** @param {PointerEvent} event @param {Record<string, (event: PointerEvent) => void>} acts */
export function followPointer({ pointerId }, acts) {
  const heard = Object.entries(acts).map(([type, act]) => ({
    type,
    hear: (/** @type {Event} */ event) => event instanceof PointerEvent && event.pointerId === pointerId && act(event),
  }));
  for (const { type, hear } of heard) window.addEventListener(type, hear);
  return () => {
    for (const { type, hear } of heard) window.removeEventListener(type, hear);
  };
}
