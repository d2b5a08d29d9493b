import { constants } from 'node:os'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
type Signal = (typeof SIGNALS)[number]

/** What shells add to the number of a signal for the status of what it ended. */
const SIGNALLED = 128

/** What is put in order is so by then. */
const MOMENT_MS = 500

/** One that comes so soon after the first is the same: npm passes on what a terminal or a service manager has told all. */
const SAME_MS = 500

/** Whether a signal has told the command to end. */
let isTold = false

/** Why a command ends early: the user, or what runs it, told it to. */
export class Interruption extends Error {
  readonly signal: Signal

  constructor(signal: Signal) {
    super(`stopped by ${signal}`)
    this.signal = signal
  }

  get status(): number {
    return statusOf(this.signal)
  }
}

/** Fires when the user stops the command, so that what is half done is put in order first. A later signal ends it at once. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController()
  const stop = (name: Signal) => {
    isTold = true
    const since = performance.now()
    const endLater = (later: Signal) => {
      if (performance.now() - since < SAME_MS) return
      for (const each of SIGNALS) process.off(each, endLater)
      end(later)
    }
    for (const each of SIGNALS) process.off(each, stop).on(each, endLater)
    controller.abort(new Interruption(name))
  }
  for (const each of SIGNALS) process.off(each, end).on(each, stop)
  return controller.signal
}

/**
 * Has the next SIGINT or SIGTERM end the process at once. The system does so too where nobody listens, except to the
 * first process of a container, to which a signal without a listener does nothing.
 */
export function endWhenInterrupted(): void {
  for (const each of SIGNALS) process.off(each, end).on(each, end)
}

/**
 * Ends the process a moment after its command, where a signal stopped that and something keeps the process still: a read of a pipe that nobody
 * writes into, which cannot be called off.
 */
export function endStopped(status: typeof process.exitCode): void {
  const stopped = SIGNALS.find((name) => statusOf(name) === status)
  if (stopped !== undefined) setTimeout(end, MOMENT_MS, stopped).unref()
}

/**
 * Ends the process a moment after its command, where a signal told that to end and nobody reads its messages; what it has for stdout is waited
 * for. Messages of others may have a reader who takes his time, such as `less`.
 */
export function endUnread(): void {
  const { stdout, stderr } = process
  const look = () => {
    if (isTold && stderr.writableLength > 0 && stdout.writableLength === 0) process.exit()
  }
  setInterval(look, MOMENT_MS).unref()
}

/** By the signal itself, as parents tell it from a failure; exiting is for that first process, and waits for native code. */
function end(name: Signal): void {
  for (const each of SIGNALS) process.off(each, end)
  // What removes locks of files listens too, and does so when it is alone: then it ends the process by the signal.
  process.emit(name, name)
  process.kill(process.pid, name)
  process.exit(statusOf(name))
}

function statusOf(name: Signal): number {
  return SIGNALLED + constants.signals[name]
}

/** What stopped the work that failed so, where that was a signal. */
export function findInterruption(error: unknown): Interruption | undefined {
  if (!(error instanceof Error)) return undefined
  return error instanceof Interruption ? error : findInterruption(error.cause)
}
