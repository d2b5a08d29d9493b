/** Why something was given up that another program was asked for. Its words are this package's own, and have nothing of a request. */
export class LateError extends Error {
  override readonly name = 'LateError'

  /** @param whom what was asked, such as `the store` */
  constructor(whom: string, milliseconds: number) {
    super(`${whom} did not answer within ${milliseconds} ms`)
  }
}

/** How long a piece is of the time that is waited; after each, all is heard that has come. */
const PIECE_MS = 100

/**
 * What some work comes to, which goes on where it is late.
 *
 * @param whom what was asked
 * @throws LateError where it takes longer
 */
export async function inTime<Answer>(work: Promise<Answer>, milliseconds: number, whom: string): Promise<Answer> {
  let stop = () => {}
  const late = new Promise<never>((_, reject) => {
    stop = whenLate(milliseconds, () => reject(new LateError(whom, milliseconds)))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    stop()
  }
}

/**
 * Calls when so many milliseconds have passed in which this process could hear an answer. Time in which it was busy with other requests, or stood
 * still, counts as one piece: an answer that came meanwhile is not late.
 *
 * @returns what keeps it from that
 */
function whenLate(milliseconds: number, call: () => void): () => void {
  let left = milliseconds
  let timer: NodeJS.Timeout
  const wait = () => {
    const piece = Math.min(left, PIECE_MS)
    left -= piece
    timer = setTimeout(left > 0 ? wait : call, piece)
  }
  wait()
  return () => clearTimeout(timer)
}
