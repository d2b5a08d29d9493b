import { randomUUID } from 'node:crypto'
import { defineCommand } from 'citty'
import colors from 'picocolors'
import { topUp } from '../../http/keys/key-book.ts'
import { UnsureChangeError } from '../../http/keys/stored-keys.ts'
import { printResult, runCommand } from '../run-command.ts'
import { placeArguments, withPlaceThere } from './key-place.ts'
import { readAmount } from './read-amount.ts'

export const topupCommand = defineCommand({
  meta: { name: 'topup', description: 'Raise what was paid in for an account' },
  args: {
    account: { type: 'positional', required: true, description: 'name of the account' },
    amount: { type: 'positional', required: true, description: 'EUR, such as 25.00' },
    ...placeArguments,
  },
  run: (context) =>
    runCommand(context, ({ args }) =>
      withPlaceThere(args, async (place) => {
        const amount = readAmount('amount', args.amount)
        const id = { id: randomUUID(), now: Date.now() }
        const pay = () => place.change('topup', (book) => topUp(book, args.account, amount, id))
        const { account, detail, prepaid } = await pay().catch((error: unknown) => {
          if (!(error instanceof UnsureChangeError)) throw error
          // Under the same id it is made once. Where that fails too, nobody knows of the first.
          return pay().catch(() => Promise.reject(error))
        })
        const words = `${colors.green('paid in')} ${detail} for ${account}, ${prepaid} in all`
        printResult(args.json ?? false, { account, prepaid }, () => words)
      }),
    ),
})
