import { defineCommand } from 'citty'
import { rotateKey } from '../../http/keys/key-book.ts'
import { makeKey } from '../../http/keys/make-key.ts'
import { readDuration } from '../read-duration.ts'
import { runCommand } from '../run-command.ts'
import { placeArguments, withPlaceThere } from './key-place.ts'
import { printNewKey } from './print-key.ts'

export const rotateCommand = defineCommand({
  meta: { name: 'rotate', description: 'Make a key in place of another, which ends after a time in which both hold' },
  args: {
    key: { type: 'positional', required: true, description: 'name of the key, key_..., as list shows it' },
    overlap: { type: 'string', default: '24h', description: 'how long both hold', valueHint: 'duration' },
    ...placeArguments,
  },
  run: (context) =>
    runCommand(context, ({ args }) =>
      withPlaceThere(args, async (place) => {
        const overlap = { now: Date.now(), forMs: readDuration('--overlap', args.overlap) }
        const fresh = makeKey()
        const change = await place.change('rotate', (book) => rotateKey(book, fresh, args.key, overlap))
        printNewKey(args.json ?? false, fresh.key, change, place)
      }),
    ),
})
