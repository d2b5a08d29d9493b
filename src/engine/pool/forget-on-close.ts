import type { Connect } from './connection.ts'

/** A worker that is stuck, or opens a large model, does not keep an engine from ending. */
const LONGEST_WAIT_MS = 5000

/**
 * The same connection, whose other end wipes what it kept before it is closed: memory of a thread that is ended goes back to the process as it is.
 * One that does not do so within 5 seconds is closed as it is.
 */
export function forgetOnClose(connect: Connect): Connect {
  return ({ onMessage, onCrash }) => {
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    let isClosing = false
    const connection = connect({
      onMessage(message) {
        if (message.type === 'forgotten') end()
        else if (!isClosing) onMessage(message)
      },
      onCrash(...reason) {
        end()
        if (!isClosing) onCrash(...reason)
      },
    })
    return {
      ...connection,
      async close() {
        isClosing = true
        connection.setBusy(true)
        connection.post({ type: 'forget' })
        const timer = setTimeout(end, LONGEST_WAIT_MS)
        await ended
        clearTimeout(timer)
        await connection.close()
      },
    }
  }
}
