import { defineCommand } from 'citty'
import { InvalidRequestError } from '../../errors/index.ts'
import { addKey, type KeySettings } from '../../http/keys/key-book.ts'
import { makeKey } from '../../http/keys/make-key.ts'
import { SCOPES } from '../../http/keys/scopes.ts'
import { readDuration } from '../read-duration.ts'
import { readNumber } from '../read-request.ts'
import { runCommand } from '../run-command.ts'
import { placeArguments, withPlace } from './key-place.ts'
import { printNewKey } from './print-key.ts'

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
        const change = await place.change('add', (book) => addKey(book, fresh, settings))
        printNewKey(args.json ?? false, fresh.key, change, place)
      }),
    ),
})

type AddArguments = Partial<Record<keyof typeof addArguments, unknown>>

function readSettings(args: AddArguments): KeySettings {
  const textOf = (name: keyof AddArguments) => args[name] as string | undefined
  const numberOf = (name: keyof AddArguments) => {
    const given = textOf(name)
    return given === undefined ? undefined : readNumber(`--${name}`, given)
  }
  const expires = textOf('expires')
  return {
    id: textOf('account'),
    scopes: readList(textOf('scopes')) as KeySettings['scopes'],
    models: readList(textOf('models')),
    expires: expires === undefined ? undefined : readTime(expires),
    requestsPerMinute: numberOf('rpm'),
    tokensPerMinute: numberOf('tpm'),
    concurrency: numberOf('concurrency'),
    freeTokens: numberOf('free-tokens'),
    prepaid: textOf('prepaid'),
  }
}

function readList(names: string | undefined): string[] | undefined {
  return names?.split(',').map((name) => name.trim())
}

/** @returns a time with a time zone */
function readTime(text: string): string {
  const time = /^\d{4}-/.test(text) ? text : new Date(Date.now() + readDuration('--expires', text)).toISOString()
  if (!(Date.parse(time) > Date.now()))
    throw new InvalidRequestError('--expires', `must be in the future, got '${text}'`)
  return time
}
