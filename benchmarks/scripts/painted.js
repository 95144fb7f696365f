// The time at which the next frame has been painted: a message that is sent in a frame arrives after it.
/** @returns {Promise<number>} */
export const painted = () =>
  new Promise((resolve) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => resolve(performance.now());
    channel.port2.postMessage(null);
  }));
