import { setTimeout as sleep } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'

/** A thread that was stopped never ends its turn. The memory of a picture is taken by then, so that the next one is measured right. */
const LONGEST_TURN_NS = 10_000_000_000n
const PAUSE_MS = 20

/** When the turn began that some thread of this process has, in nanoseconds; 0 where none has one. */
export const decodingTurns: SharedArrayBuffer = given() ?? new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)
const cells = new BigInt64Array(decodingTurns)

/** What the thread that started this one handed over; undefined in the first, and in threads of the app's own, whose data may be anything. */
function given(): SharedArrayBuffer | undefined {
  const { decodingTurns: shared } = Object(workerData) as { readonly decodingTurns?: unknown }
  return shared instanceof SharedArrayBuffer ? shared : undefined
}

/** Ends with the last of the turns of this thread, whatever comes of it. */
let last: Promise<void> = Promise.resolve()

/** Does one work after another, in all worker threads that share `decodingTurns`. */
export function inDecodingTurn<T>(work: () => Promise<T>): Promise<T> {
  const turn = last.then(async () => {
    const began = await begin()
    try {
      return await work()
    } finally {
      Atomics.compareExchange(cells, 0, began, 0n)
    }
  })
  last = turn.then(forget, forget)
  return turn
}

/** Who waits must not keep what was made before. */
function forget(): void {}

/** @returns when the turn began */
async function begin(): Promise<bigint> {
  for (;;) {
    const now = process.hrtime.bigint()
    const held = Atomics.load(cells, 0)
    const isFree = held === 0n || now - held > LONGEST_TURN_NS
    if (isFree && Atomics.compareExchange(cells, 0, held, now) === held) return now
    await sleep(PAUSE_MS)
  }
}
