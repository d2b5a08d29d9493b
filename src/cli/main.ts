#!/usr/bin/env node
import { defineCommand, runCommand, runMain } from 'citty'
import { benchCommand } from './bench-command.ts'
import { calibrateCommand } from './calibrate-command.ts'
import { decideCommand } from './decide-command.ts'
import { doctorCommand, packageVersion } from './doctor-command.ts'
import { editCommand } from './edit-command.ts'
import { evalCommand } from './eval-command.ts'
import { generateCommand } from './generate-command.ts'
import { keysCommand } from './keys/keys-command.ts'
import { modelsCommand } from './models/models-command.ts'
import { pullCommand } from './pull-command.ts'
import { quantizeCommand } from './quantize-command.ts'
import { endWithoutReader, printUsage, reportUsageError } from './run-command.ts'
import { serveCommand } from './serve-command.ts'
import { setupCommand } from './setup-command.ts'
import { usageCommand } from './usage-command.ts'
import { workerCommand } from './worker-command.ts'

const subCommands = {
  decide: decideCommand,
  generate: generateCommand,
  edit: editCommand,
  eval: evalCommand,
  calibrate: calibrateCommand,
  serve: serveCommand,
  worker: workerCommand,
  keys: keysCommand,
  usage: usageCommand,
  models: modelsCommand,
  pull: pullCommand,
  quantize: quantizeCommand,
  setup: setupCommand,
  doctor: doctorCommand,
  bench: benchCommand,
}

const main = defineCommand({
  meta: async () => ({
    name: 'tessera-onnx',
    version: await packageVersion(),
    description: 'Typed decisions and images on ONNX Runtime, in your own process',
  }),
  subCommands,
})

process.stdout.on('error', endWithoutReader)
// What goes there is for whoever reads it. A service goes on without, and the exit status stays that of the work.
process.stderr.on('error', () => {})

const rawArgs = readArguments(process.argv.slice(2))
const asksAboutItself =
  rawArgs.includes('--help') || rawArgs.includes('-h') || ['--version', '-v'].includes(rawArgs.join(' '))
// citty's own main prints the usage to stdout on bad arguments, which belongs to results, and exits with 1.
await (asksAboutItself
  ? runMain(main, { rawArgs, showUsage: printUsage })
  : runCommand(main, { rawArgs }).catch((error: unknown) =>
      reportUsageError(error, Object.keys(subCommands), rawArgs.includes('--json')),
    ))

/** Nothing at all, or `help` in front of a command, asks for help. */
function readArguments(given: string[]): string[] {
  if (given.length === 0) return ['--help']
  return given[0] === 'help' ? [...given.slice(1), '--help'] : given
}
