import { defineCommand } from 'citty'
import { addCommand } from './add-command.ts'
import { placeArguments } from './key-place.ts'
import { listCommand } from './list-command.ts'
import { revokeCommand } from './revoke-command.ts'
import { rotateCommand } from './rotate-command.ts'
import { topupCommand } from './topup-command.ts'

export const keysCommand = defineCommand({
  meta: {
    name: 'keys',
    description: 'Add, list, revoke and rotate API keys of a file or a store, and top up accounts',
  },
  // The parser finds the name of a subcommand only where it knows which options take a value.
  args: placeArguments,
  default: 'list',
  subCommands: {
    add: addCommand,
    list: listCommand,
    revoke: revokeCommand,
    rotate: rotateCommand,
    topup: topupCommand,
  },
})
