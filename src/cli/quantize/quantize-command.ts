import { defineCommand } from 'citty'
import colors from 'picocolors'
import { countUsableProcessors, createCpuBackend } from '../../backends/index.ts'
import { chooseSmoothing } from '../../decide/index.ts'
import { measureAvailableMemory } from '../../engine/memory/available-memory.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { nameFormat } from '../../models/configs/quantization-config.ts'
import { quantizeCheckpoint, type QuantizeWeightsOptions, resolveModel } from '../../models/index.ts'
import { describeRough } from '../describe-rough.ts'
import { ProgressReport } from '../progress-report.ts'
import { readOptionalNumber } from '../read-number.ts'
import { printResult, runCommand } from '../run-command.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { chooseFormat } from './choose-format.ts'

const MOST_THREADS = 256
/** Of the matrices that stayed in blocks, in words. */
const SHOWN = 5

type Quantized = Awaited<ReturnType<typeof quantizeCheckpoint>>
/** What people read of each stage. */
const STAGES = { smooth: 'smoothing layer', quantize: 'quantising' }

export const quantizeCommand = defineCommand({
  args: {
    model: { type: 'positional', required: true, description: 'a folder, a GGUF file, or a downloaded hub id' },
    out: { type: 'positional', required: true, description: 'folder to make' },
    for: {
      type: 'string',
      description:
        'this-machine (the default): times products here and takes row where it is twice as fast; portable: --bits 8 --block 128',
      valueHint: 'where',
    },
    bits: { type: 'string', description: '8 or 4; 8 with --block alone', valueHint: 'n' },
    block: {
      type: 'string',
      description:
        'values that share a scale: 16 to 256, 32 is best with 4 bits; or row, faster and less accurate; 128 with --bits alone',
      valueHint: 'n',
    },
    threads: { type: 'string', description: 'threads that quantise; all processors by default', valueHint: 'n' },
    json: { type: 'boolean', description: 'print JSON' },
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const signal = untilInterrupted()
      const { reason, ...format } = await chooseFormat(args, signal)
      const threads = readThreads(args.threads)
      const { folder } = await resolveModel(args.model)
      const report = new ProgressReport()
      const quantized = await quantizeCheckpoint({
        folder,
        out: args.out,
        ...format,
        threads,
        chooseSmoothing: createSmoother(threads, signal),
        signal,
        onWait: () => process.stderr.write(`another run makes ${args.out}, or was killed just now; waiting for it\n`),
        onProgress: ({ stage, ...progress }) => report.show({ ...progress, stage: STAGES[stage] }),
      })
      const { rough, smoothed } = quantized
      printResult(
        args.json ?? false,
        { out: args.out, ...format, ...(reason && { reason }), kept_in_blocks: rough, smoothed },
        () =>
          [
            `${colors.green('wrote')} ${args.out}`,
            ...(reason ? [`${nameFormat({ bits: format.bits, block_size: format.blockSize })}: ${reason}`] : []),
            ...(format.blockSize === 'row' ? [describeSmoothed(quantized), ...describeKept(quantized)] : []),
          ].join('\n'),
      )
    }),
})

/** Runs language models on the CPU of this machine for it. */
function createSmoother(threads: number, signal: AbortSignal): NonNullable<QuantizeWeightsOptions['chooseSmoothing']> {
  return async (files, options) => {
    const { bytes: available } = await measureAvailableMemory()
    return chooseSmoothing(files, { ...options, openBackend: () => createCpuBackend({ threads }), available, signal })
  }
}

function describeSmoothed({ smoothed }: Quantized): string {
  if (smoothed.length === 0) return 'no channels are smoothed, as only those of language models are'
  return `channels behind ${smoothed.length} norms are smoothed, so that rows round them less`
}

/** What the guard of whole rows kept, the roughest first. */
function describeKept({ rough }: Quantized): string[] {
  if (rough.length === 0) return []
  const lines = rough
    .toSorted((a, b) => b.error - a.error)
    .slice(0, SHOWN)
    .map(({ name, error }) => `  ${name} (${(100 * error).toFixed(1)} %)`)
  const more = rough.length > SHOWN ? [`  and ${rough.length - SHOWN} more; --json has all`] : []
  return [describeRough(rough.length), ...[...lines, ...more].map((line) => colors.dim(line))]
}

function readThreads(text: string | undefined): number {
  const threads = readOptionalNumber('--threads', text) ?? countUsableProcessors()
  if (Number.isInteger(threads) && threads >= 1 && threads <= MOST_THREADS) return threads
  throw new InvalidRequestError('--threads', `must be a whole number from 1 to ${MOST_THREADS}, got '${text}'`)
}
