type Kind = 'requests' | 'tokens'

const WHAT = { requests: 'Requests', tokens: 'Input tokens of decisions' } as const
const TOLD = ['200', '202', '429']

function headersOf(kind: Kind) {
  const what = WHAT[kind]
  const count = { type: 'integer', minimum: 0 }
  return {
    [`x-ratelimit-limit-${kind}`]: {
      description: `${what} of the key in a minute, where it has a limit.`,
      schema: count,
    },
    [`x-ratelimit-remaining-${kind}`]: { description: 'What is left of them in this minute.', schema: count },
    [`x-ratelimit-reset-${kind}`]: {
      description: 'When that is as many again.',
      schema: { type: 'string', pattern: '^\\d+s$' },
    },
  }
}

/** Responses that say how many requests or tokens the key has left. */
export function limited<Responses extends Readonly<Record<string | number, object>>>(
  responses: Responses,
  kinds: readonly Kind[],
): Responses {
  const headers = Object.assign({}, ...kinds.map(headersOf)) as object
  const told = Object.entries(responses).map(([status, response]) => [
    status,
    TOLD.includes(status)
      ? { ...response, headers: { ...(response as { headers?: object }).headers, ...headers } }
      : response,
  ])
  return Object.fromEntries(told) as Responses
}
