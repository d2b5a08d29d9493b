import { defineCommand } from 'citty'
import { InvalidRequestError } from '../errors/index.ts'
import { rangeSchema, resolveRange } from '../http/admin/month-range.ts'
import { exportUsage, toCsv } from '../http/admin/usage-export.ts'
import { Ledger } from '../http/usage/ledger.ts'
import { DEFAULT_PRICES } from '../http/usage/prices.ts'
import { parseRequest } from '../schemas/parse-request.ts'
import { placeArguments } from './keys/key-place.ts'
import { runCommand } from './run-command.ts'
import { requireStore, withStore } from './with-store.ts'

export const usageCommand = defineCommand({
  args: {
    store: { ...placeArguments.store, required: true },
    from: { type: 'string', description: 'first month; default that of --to', valueHint: 'yyyy-mm' },
    to: { type: 'string', description: "last month; default this one, by the store's clock", valueHint: 'yyyy-mm' },
    format: { type: 'string', default: 'csv', description: 'csv or json', valueHint: 'csv|json' },
    'accept-loss': placeArguments['accept-loss'],
  },
  run: (context) =>
    runCommand(context, async ({ args: { store: name, from, to, format, 'accept-loss': acceptLoss } }) => {
      if (format !== 'csv' && format !== 'json') throw new InvalidRequestError('--format', 'must be csv or json')
      const asked = parseRequest(rangeSchema, { from, to })
      await requireStore(name)
      await withStore(name, acceptLoss, async (store) => {
        const ledger = new Ledger(store, DEFAULT_PRICES)
        const range = await resolveRange(ledger, asked)
        const rows = await exportUsage(ledger, range)
        process.stdout.write(format === 'csv' ? toCsv(rows) : `${JSON.stringify({ ...range, rows }, null, 2)}\n`)
      })
    }),
})
