import { defineCommand } from 'citty'
import { listArguments, listCommand } from './list-command.ts'
import { removeCommand } from './remove-command.ts'
import { showCommand } from './show-command.ts'

export const modelsCommand = defineCommand({
  // The parser finds the name of a subcommand only where it knows which options take a value.
  args: listArguments,
  default: 'list',
  subCommands: { list: listCommand, show: showCommand, rm: removeCommand },
})
