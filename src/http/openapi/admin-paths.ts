import { answer, body, errors, IDEMPOTENCY_KEY, type Schema, type Status } from './messages.ts'

const READ_ERRORS: readonly Status[] = [400, 401, 403, 405, 421, 422, 429, 431, 500, 503, 529]
const CHANGE_ERRORS: readonly Status[] = [...READ_ERRORS, 408, 413, 415]

const month = (name: string, description: string) => ({
  name,
  in: 'query',
  description,
  schema: { type: 'string', pattern: '^\\d{4}-(0[1-9]|1[0-2])$' },
})

const MONTHS = [
  month('from', 'First month; default the last.'),
  month('to', 'Last month; default this one, in UTC by the clock of the store.'),
]

const FORMAT = { name: 'format', in: 'query', schema: { enum: ['json', 'csv'], default: 'json' } }

const TOP_UP_KEY = {
  ...IDEMPOTENCY_KEY,
  description: 'The same key for the same account and amount raises it once a day, so that it may be sent again.',
}

const UNSURE =
  'The store is away, and nothing was changed; retry with backoff. With `x-should-retry: false` the change may have been made: ' +
  'look at the accounts and the keys before you ask for it again.'

const USAGE = answer('As JSON or CSV.', 'UsageExport')

function change(operationId: string, summary: string, request: Schema, description: string, response: Schema) {
  const { 503: away, ...others } = errors(CHANGE_ERRORS)
  return {
    operationId,
    tags: ['admin'],
    summary,
    requestBody: body(request),
    responses: { 200: answer(description, response), ...others, 503: { ...away!, description: UNSURE } },
  }
}

function topUp() {
  const made = change('topUp', 'Raises what was paid in for an account.', 'TopUp', 'What was ever paid in.', 'Changed')
  return { ...made, parameters: [TOP_UP_KEY], responses: { ...made.responses, ...errors([409]) } }
}

function report(operationId: string, summary: string, response: ReturnType<typeof answer>, parameters: object[] = []) {
  return {
    operationId,
    tags: ['admin'],
    summary,
    ...(parameters.length > 0 && { parameters }),
    responses: { 200: response, ...errors(READ_ERRORS) },
  }
}

const SHOWN = 'The only time that the key is shown.'

/** Operations for keys with the scope `admin`. */
export const ADMIN_PATHS = {
  '/v1/admin/keys': {
    get: report('listKeys', 'The keys of the store.', answer('Never the keys themselves.', 'KeyList')),
    post: change('addKey', 'Makes a key.', 'NewKey', SHOWN, 'MadeKey'),
  },
  '/v1/admin/keys/revoke': {
    post: change('revokeKey', 'Ends a key within a second.', 'KeyRevocation', 'It is gone.', 'Changed'),
  },
  '/v1/admin/keys/rotate': {
    post: change('rotateKey', 'Makes a key in place of another, which ends later.', 'KeyRotation', SHOWN, 'MadeKey'),
  },
  '/v1/admin/topups': {
    post: topUp(),
  },
  '/v1/admin/accounts': {
    get: report('listAccounts', 'What every account has left.', answer('By name.', 'Balances')),
  },
  '/v1/admin/usage': {
    get: report(
      'exportUsage',
      'What all accounts used, by month.',
      { ...USAGE, content: { ...USAGE.content, 'text/csv': { schema: { type: 'string' } } } } as typeof USAGE,
      [...MONTHS, FORMAT],
    ),
  },
  '/v1/admin/audit': {
    get: report('listAudit', 'Who changed keys and balances, and when.', answer('Oldest first.', 'Audit'), MONTHS),
  },
}
