/** Official clients say with every request which try it is: those of System One, and OpenAI's. */
const HEADERS = ['x-typesafe-retry-count', 'x-stainless-retry-count']

/** How often a client has sent a request again by itself; 0 where it says nothing. */
export function readRetryCount(headers: Headers): number {
  const text = HEADERS.map((name) => headers.get(name)).find((value) => value !== null) ?? ''
  return /^\d{1,3}$/.test(text) ? Number(text) : 0
}
