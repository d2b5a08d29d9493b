import { defineCommand } from 'citty'
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
import { serveCommand } from './serve-command.ts'
import { setupCommand } from './setup-command.ts'
import { usageCommand } from './usage-command.ts'
import { workerCommand } from './worker-command.ts'

/** The commands by name. */
export const subCommands = {
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

/** The whole command line, which `main.ts` runs. */
export const mainCommand = defineCommand({
  meta: async () => ({
    name: 'tessera-onnx',
    version: await packageVersion(),
    description: 'Typed decisions and images on ONNX Runtime, in your own process',
  }),
  subCommands,
})
