import { defineCommand } from 'citty'
import colors from 'picocolors'
import { revokeKey } from '../../http/keys/key-book.ts'
import { printResult, runCommand } from '../run-command.ts'
import { placeArguments, withPlaceThere } from './key-place.ts'

export const revokeCommand = defineCommand({
  meta: { name: 'revoke', description: 'End a key; what it used stays in the account' },
  args: {
    key: { type: 'positional', required: true, description: 'name of the key, key_..., as list shows it' },
    ...placeArguments,
  },
  run: (context) =>
    runCommand(context, ({ args }) =>
      withPlaceThere(args, async (place) => {
        const { key, account } = await place.change('revoke', (book) => revokeKey(book, args.key))
        printResult(args.json ?? false, { name: key, account }, () => `${colors.green('revoked')} ${key} of ${account}`)
      }),
    ),
})
