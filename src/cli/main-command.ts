import { defineCommand, runCommand, runMain } from 'citty'
import { version } from '../../package.json'
import { lazily, lazyGroup } from './lazily.ts'
import { refuseMisplacedOptions } from './refuse-unknown-arguments.ts'
import { printUsage, reportUsageError } from './run-command.ts'

/** The commands by name. */
const subCommands = {
  decide: lazily(
    'decide',
    'Answer typed questions about a text or JSON record with probabilities',
    async () => (await import('./decide/decide-command.ts')).decideCommand,
  ),
  generate: lazily(
    'generate',
    'Draw pictures from words and write them as PNG files',
    async () => (await import('./pictures/generate-command.ts')).generateCommand,
  ),
  edit: lazily(
    'edit',
    'Change a picture as words say and write the result as a PNG file',
    async () => (await import('./pictures/edit-command.ts')).editCommand,
  ),
  eval: lazily(
    'eval',
    'Measure how well a model answers labelled questions, or compare several models',
    async () => (await import('./evaluate/eval-command.ts')).evalCommand,
  ),
  calibrate: lazily(
    'calibrate',
    'Fit probabilities and thresholds to labelled rows of your own; decide and serve take the file as --calibration',
    async () => (await import('./evaluate/calibrate-command.ts')).calibrateCommand,
  ),
  serve: lazily(
    'serve',
    'Serve decisions and pictures over HTTP; prints a new key on the first run',
    async () => (await import('./serve/serve-command.ts')).serveCommand,
  ),
  worker: lazily(
    'worker',
    'Compute what services that run with --queue are asked',
    async () => (await import('./worker/worker-command.ts')).workerCommand,
  ),
  keys: lazyGroup(
    'keys',
    'Add, list, revoke and rotate API keys of a file or a store, and top up accounts',
    async () => (await import('./keys/keys-command.ts')).keysCommand,
  ),
  usage: lazily(
    'usage',
    'Export what all accounts used, by month',
    async () => (await import('./usage-command.ts')).usageCommand,
  ),
  models: lazyGroup(
    'models',
    'Show which model serves each name, what was downloaded, and what a model is',
    async () => (await import('./models/models-command.ts')).modelsCommand,
  ),
  pull: lazily(
    'pull',
    'Download a model from the hub into its cache, where models are found by name',
    async () => (await import('./pull/pull-command.ts')).pullCommand,
  ),
  quantize: lazily(
    'quantize',
    'Write a copy of a checkpoint with its weights in 8 or 4 bits',
    async () => (await import('./quantize/quantize-command.ts')).quantizeCommand,
  ),
  setup: lazily(
    'setup',
    'Install the libraries of CUDA, or remove files of onnxruntime that this platform does not use',
    async () => (await import('./setup/setup-command.ts')).setupCommand,
  ),
  doctor: lazily(
    'doctor',
    'Show the platform and which backends compute here, or why not',
    async () => (await import('./doctor/doctor-command.ts')).doctorCommand,
  ),
  bench: lazily(
    'bench',
    'Measure this machine and the embedded models on its backends, in less than two minutes',
    async () => (await import('./bench/bench-command.ts')).benchCommand,
  ),
}

/** The whole command line. */
export const mainCommand = defineCommand({
  meta: {
    name: 'tessera-onnx',
    version,
    description: 'Typed decisions and images on ONNX Runtime, in your own process',
  },
  setup: refuseMisplacedOptions,
  subCommands,
})

/** Runs a command line without the name of the program, as `main.ts` and tests do. */
export async function runArguments(given: string[]): Promise<void> {
  const rawArgs = readArguments(given)
  const asksAboutItself =
    rawArgs.includes('--help') || rawArgs.includes('-h') || ['--version', '-v'].includes(rawArgs.join(' '))
  // citty's own main prints the usage to stdout on bad arguments, which belongs to results, and exits with 1.
  await (asksAboutItself
    ? runMain(mainCommand, { rawArgs, showUsage: printUsage })
    : runCommand(mainCommand, { rawArgs }).catch((error: unknown) =>
        reportUsageError(error, Object.keys(subCommands), rawArgs),
      ))
}

/** Nothing at all, or `help` in front of a command, asks for help. */
function readArguments(given: string[]): string[] {
  if (given.length === 0) return ['--help']
  return given[0] === 'help' ? [...given.slice(1), '--help'] : given
}
