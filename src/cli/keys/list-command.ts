import { defineCommand } from 'citty'
import colors from 'picocolors'
import { InvalidRequestError } from '../../errors/index.ts'
import { type ListedKey, listKeys } from '../../http/keys/key-book.ts'
import { Ledger } from '../../http/usage/ledger.ts'
import { DEFAULT_PRICES } from '../../http/usage/prices.ts'
import { exists } from '../../models/files/exists.ts'
import { printResult, runCommand } from '../run-command.ts'
import { placeArguments, withPlaceThere } from './key-place.ts'

interface Row extends ListedKey {
  /** EUR that are left; absent where nothing was paid in, or no store says what was used. */
  readonly balance?: string
}

export const listCommand = defineCommand({
  meta: { name: 'list', description: 'Show keys with account, scopes, expiry and, where there is --store, balance' },
  args: placeArguments,
  run: (context) =>
    runCommand(context, ({ args }) =>
      withPlaceThere(args, async (place) => {
        const { 'keys-file': file } = args
        if (file !== undefined && !(await exists(file)))
          throw new InvalidRequestError(
            '--keys-file',
            `the file ${file} is not there; npx tessera-onnx keys add makes it`,
          )
        const keys = listKeys(await place.read())
        const ledger = place.store && new Ledger(place.store, DEFAULT_PRICES)
        const rows = await Promise.all(keys.map((key) => withBalance(key, ledger)))
        printResult(args.json ?? false, { keys: rows }, () => rows.map(format).join('\n') || `no keys in ${place.name}`)
      }),
    ),
})

async function withBalance(key: ListedKey, ledger: Ledger | undefined): Promise<Row> {
  const { account, prepaid } = key
  if (ledger === undefined || prepaid === undefined) return key
  const { prepaid: balance } = await ledger.allowance({ id: account, prepaid })
  return { ...key, ...(balance !== undefined && { balance }) }
}

function format({ name, prefix, account, scopes, models, expires, prepaid, balance }: Row): string {
  const ends =
    expires === undefined ? undefined : `${Date.parse(expires) > Date.now() ? 'until' : 'expired'} ${expires}`
  return [
    colors.bold(name),
    prefix === undefined ? undefined : `${prefix}…`,
    account,
    scopes.join(','),
    models && `models ${models.join(',')}`,
    ends,
    balance === undefined ? prepaid && `${prepaid} EUR paid in` : `${balance} EUR left`,
  ]
    .filter((part) => part !== undefined)
    .join('  ')
}
