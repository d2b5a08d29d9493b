import { defineCommand } from 'citty'
import { addCommand } from './add-command.ts'
import { placeArguments } from './key-place.ts'
import { listCommand } from './list-command.ts'
import { revokeCommand } from './revoke-command.ts'
import { rotateCommand } from './rotate-command.ts'
import { topupCommand } from './topup-command.ts'

export const keysCommand = defineCommand({
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
