import { defineCommand } from 'citty'
import { InvalidRequestError } from '../../errors/index.ts'
import { addKey, type BookChange, type KeyBook, type KeySettings } from '../../http/keys/key-book.ts'
import { type FreshKey, makeKey } from '../../http/keys/make-key.ts'
import { SCOPES, type Scope } from '../../http/keys/scopes.ts'
import { readDuration } from '../read-duration.ts'
import { readOptionalNumber } from '../read-number.ts'
import { runCommand } from '../run-command.ts'
import { placeArguments, withPlace } from './key-place.ts'
import { printNewKey } from './print-key.ts'
import { readAmount } from './read-amount.ts'

const addArguments = {
  account: { type: 'string', description: 'account it is for; default one of its own', valueHint: 'name' },
  scopes: {
    type: 'string',
    description: `what it may be used for, of ${SCOPES.join(', ')}; default decide,images`,
    valueHint: 'names',
  },
  models: {
    type: 'string',
    description: 'names of models that its requests may give; default all',
    valueHint: 'names',
  },
  expires: { type: 'string', description: 'when it ends: 90d, or 2027-01-31T00:00:00Z', valueHint: 'time' },
  rpm: { type: 'string', description: 'requests a minute', valueHint: 'n' },
  tpm: { type: 'string', description: 'input tokens of decisions a minute', valueHint: 'n' },
  concurrency: { type: 'string', description: 'requests at the same time', valueHint: 'n' },
  'free-tokens': { type: 'string', description: 'input tokens a month that cost nothing', valueHint: 'n' },
  prepaid: { type: 'string', description: 'EUR paid in', valueHint: 'amount' },
  ...placeArguments,
} as const

export const addCommand = defineCommand({
  meta: { name: 'add', description: 'Make a key, print it this once, and keep its SHA-256' },
  args: addArguments,
  run: (context) =>
    runCommand(context, ({ args }) =>
      withPlace(args, async (place) => {
        const settings = readSettings(args)
        const fresh = makeKey()
        const change = await place.change('add', (book) => addNamed(book, fresh, settings))
        printNewKey(args.json ?? false, fresh.key, change, place)
      }),
    ),
})

type AddArguments = Partial<Record<keyof typeof addArguments, unknown>>

/** What the settings of a key are called on the command line, where that differs. */
const FLAGS: Readonly<Record<string, string>> = {
  id: 'account',
  requestsPerMinute: 'rpm',
  tokensPerMinute: 'tpm',
  freeTokens: 'free-tokens',
}

/** @throws InvalidRequestError naming the flag of a setting that is refused, where `addKey` names the place in the book */
function addNamed(book: KeyBook, fresh: FreshKey, settings: KeySettings): BookChange {
  try {
    return addKey(book, fresh, settings)
  } catch (error) {
    if (!InvalidRequestError.isInstance(error)) throw error
    const [list, index, field] = error.loc
    // Any other key of the book was there before.
    if (list !== 'keys' || Number(index) !== book.keys.length || field === undefined) throw error
    throw new InvalidRequestError(`--${FLAGS[field] ?? field}`, error.reason, { cause: error })
  }
}

function readSettings(args: AddArguments): KeySettings {
  const textOf = (name: keyof AddArguments) => args[name] as string | undefined
  const numberOf = (name: keyof AddArguments) => readOptionalNumber(`--${name}`, textOf(name))
  const expires = textOf('expires')
  const prepaid = textOf('prepaid')
  return {
    id: textOf('account'),
    scopes: readList('--scopes', textOf('scopes'))?.map(readScope),
    models: readList('--models', textOf('models')),
    expires: expires === undefined ? undefined : readTime(expires),
    requestsPerMinute: numberOf('rpm'),
    tokensPerMinute: numberOf('tpm'),
    concurrency: numberOf('concurrency'),
    freeTokens: numberOf('free-tokens'),
    prepaid: prepaid === undefined ? undefined : readAmount('--prepaid', prepaid),
  }
}

function readList(flag: string, text: string | undefined): string[] | undefined {
  const names = text?.split(',').map((name) => name.trim())
  if (names?.includes(''))
    throw new InvalidRequestError(flag, `must be names, separated by commas, got an empty one in '${text}'`)
  return names
}

function readScope(name: string): Scope {
  const scope = SCOPES.find((known) => known === name)
  if (scope === undefined) throw new InvalidRequestError('--scopes', `must be of ${SCOPES.join(', ')}, got '${name}'`)
  return scope
}

/** @returns a time with a time zone */
function readTime(text: string): string {
  const isTime = /^\d{4}-/.test(text)
  if (isTime && !/T.*(Z|[+-]\d\d:\d\d)$/.test(text)) {
    const expected = 'must be a time with its zone, such as 2027-01-31T00:00:00Z, or a duration such as 90d'
    throw new InvalidRequestError('--expires', `${expected}, got '${text}'`)
  }
  const time = isTime ? text : new Date(Date.now() + readDuration('--expires', text)).toISOString()
  if (!(Date.parse(time) > Date.now()))
    throw new InvalidRequestError('--expires', `must be in the future, got '${text}'`)
  return time
}
