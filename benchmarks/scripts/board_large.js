// Runs in the page before its own scripts: when the message came that has the large matrices, and how large it was.

/** @type {MessageBench} */
const messages = { largest: 0, came: 0 };
window.messageBench = messages;

const Socket = window.WebSocket;
window.WebSocket = class extends Socket {
  /** @param {ConstructorParameters<typeof Socket>} given */
  constructor(...given) {
    super(...given);
    this.addEventListener("message", ({ data }) => {
      const size = data.byteLength ?? data.size ?? data.length ?? 0;
      if (size > messages.largest) [messages.largest, messages.came] = [size, performance.now()];
    });
  }
};
