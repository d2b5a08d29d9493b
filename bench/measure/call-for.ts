export interface Answered {
  /** Milliseconds of all calls that were begun within the time. */
  readonly times: readonly number[]
  /** Answers that came within it, for rates: the time that later ones took is in no measured second. */
  readonly inTime: number
}

/** Callers that each make one call after the other for a time. */
export async function callFor(
  callers: number,
  seconds: number,
  call: (caller: number) => Promise<unknown>,
): Promise<Answered> {
  const times: number[] = []
  let inTime = 0
  const end = performance.now() + 1000 * seconds
  const callOn = async (caller: number) => {
    while (performance.now() < end) {
      const began = performance.now()
      await call(caller)
      const answered = performance.now()
      times.push(answered - began)
      if (answered <= end) inTime++
    }
  }
  await Promise.all(Array.from({ length: callers }, (_, caller) => callOn(caller)))
  return { times, inTime }
}
