/** As it was when this was loaded; browsers have none. */
const soon = globalThis.setImmediate as typeof setImmediate | undefined

/** Resolves after the event loop has gone round, so that messages that have arrived are handled before. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    // Fake timers of a test have one too, which would keep every call waiting; they may have come or gone since this was loaded.
    if (soon && soon === globalThis.setImmediate) return void soon(resolve)
    // Browsers make a timer wait for milliseconds, but no message.
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })
}
