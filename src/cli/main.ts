#!/usr/bin/env node
import { runCommand, runMain } from 'citty'
import { mainCommand, subCommands } from './main-command.ts'
import { endWithoutReader, printUsage, reportUsageError } from './run-command.ts'
import { endStopped } from './until-interrupted.ts'

process.stdout.on('error', endWithoutReader)
// What goes there is for whoever reads it. A service goes on without, and the exit status stays that of the work.
process.stderr.on('error', () => {})

const rawArgs = readArguments(process.argv.slice(2))
const asksAboutItself =
  rawArgs.includes('--help') || rawArgs.includes('-h') || ['--version', '-v'].includes(rawArgs.join(' '))
// citty's own main prints the usage to stdout on bad arguments, which belongs to results, and exits with 1.
await (asksAboutItself
  ? runMain(mainCommand, { rawArgs, showUsage: printUsage })
  : runCommand(mainCommand, { rawArgs }).catch((error: unknown) =>
      reportUsageError(error, Object.keys(subCommands), rawArgs),
    ))

// A parent with a channel, such as pm2 or node:cluster, listens in this process, which would keep it when all is done.
process.channel?.unref()
endStopped(process.exitCode)

/** Nothing at all, or `help` in front of a command, asks for help. */
function readArguments(given: string[]): string[] {
  if (given.length === 0) return ['--help']
  return given[0] === 'help' ? [...given.slice(1), '--help'] : given
}
