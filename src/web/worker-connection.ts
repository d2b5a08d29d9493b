import { type Connect, hear } from '../engine/pool/connection.ts'
import type { Broken, FromWorker } from '../engine/pool/protocol.ts'
import { InternalError, InvalidRequestError } from '../errors/index.ts'
import { kindOf } from '../schemas/fault.ts'

/** The first message of a worker, before any of the engine's: its script runs. Also what asks a worker to say it again. */
export const AWAKE = 'awake'

/** What a script may take to arrive, in milliseconds. What the runtime takes is beyond it. */
const LONGEST_SILENCE = 60_000
/** Counted in parts: of a time in which the page stood still, as on a locked phone, one is over at most. */
const PART_OF_SILENCE = 10_000

/**
 * A bundler that does not follow `new URL` leaves the script behind, and most servers then answer with a page or 404. Firefox
 * says no more of a script of another origin, where other browsers refuse to make the worker, nor of a module that is run as a script.
 */
const UNLOADED =
  'its script could not be loaded or run; if the bundler has not put worker.js beside the page, `createWorker` says where it is (docs/browsers.md); ' +
  "it must be of the page's origin and run as a module (`type: 'module'`); " +
  'if the Content-Security-Policy does not allow it, worker-src or script-src does; if the page has a Cross-Origin-Embedder-Policy, ' +
  'its script is answered with the same, in WebKit also by 304; `worker: false` needs none'

/** Each is of one engine, to its end: calls of two engines would get each other's answers, and one that was ended gives none. */
const taken = new WeakSet<object>()

/** Runs jobs in a worker of the page. */
export function connectWebWorker(create: () => Worker): Connect {
  /** Whether a worker of this engine has run the script, so that one that does not may meet a server that is out of order. */
  let hasRun = false
  return ({ onMessage, onCrash }) => {
    const worker = makeWorker(create)
    let open = true
    const close = () => {
      open = false
      stopWaiting()
      worker.terminate()
    }
    /** A script that is imported later than others hears nothing of what was posted before. */
    let unsent: (() => void)[] | undefined = []
    // A script in which there is no engine gives no error: nothing else would end the wait for it.
    const stopWaiting = afterSilence(() => {
      close()
      onCrash(
        `it said nothing for ${LONGEST_SILENCE / 1000} seconds: its script must be 'tessera-onnx/web/worker', or import it`,
      )
    })
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker | Broken | typeof AWAKE>) => {
      if (data !== AWAKE) return open && hear(data, { onMessage, onCrash }, async () => close())
      stopWaiting()
      hasRun = true
      if (open) for (const send of unsent ?? []) send()
      unsent = undefined
    })
    worker.addEventListener('error', (event) => {
      if (!open) return
      close()
      // What was thrown stays in the worker.
      if (event.message) return onCrash('it threw an error, see `cause`', new Error(event.message))
      // A script that cannot be loaded gives an event without a message.
      if (hasRun) return onCrash(UNLOADED)
      const error = new InternalError(`the page could not run the worker: ${UNLOADED}`)
      onMessage({ type: 'start-failed', error: error.toJSON() })
    })
    return {
      post: (message, moved = []) => {
        const send = () => worker.postMessage(message, [...moved])
        if (unsent === undefined) return send()
        unsent.push(send)
        // One that the app made before its engine has said so when nobody listened.
        worker.postMessage(AWAKE)
      },
      setBusy: () => {},
      close: async () => close(),
    }
  }
}

/** @returns what ends the wait */
function afterSilence(end: () => void): () => void {
  let left = LONGEST_SILENCE / PART_OF_SILENCE
  const timer = setInterval(() => {
    if (--left === 0) end()
  }, PART_OF_SILENCE)
  return () => clearInterval(timer)
}

/**
 * @throws InternalError where the page may not make it, or its URL is none: trying again cannot help; InvalidRequestError
 * for what is no worker of its own
 */
function makeWorker(create: () => Worker): Worker {
  let worker: unknown
  try {
    worker = create()
  } catch (cause) {
    throw new InternalError(
      'the page could not make the worker, see `cause`: `createWorker` makes it from a script of the same origin (docs/browsers.md), and `worker: false` needs none',
      { cause },
    )
  }
  // One of another frame is of another class.
  if (typeof (worker as Worker | undefined)?.terminate !== 'function') {
    throw new InvalidRequestError('createWorker', `must return a Worker, got ${kindOf(worker)}`)
  }
  if (taken.has(worker as Worker)) {
    throw new InvalidRequestError('createWorker', 'must make a new Worker each time, got one that an engine has or had')
  }
  taken.add(worker as Worker)
  return worker as Worker
}
