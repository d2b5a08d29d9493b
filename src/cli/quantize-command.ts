import { availableParallelism } from 'node:os'
import { defineCommand } from 'citty'
import colors from 'picocolors'
import { InvalidRequestError } from '../errors/index.ts'
import {
  quantizationConfigSchema,
  quantizeCheckpoint,
  type QuantizeWeightsOptions,
  resolveModel,
} from '../models/index.ts'
import { nameFormat } from '../models/quantization-config.ts'
import { describeRough } from './describe-rough.ts'
import { adviseFormat } from './products/advise-format.ts'
import { probeProducts } from './products/probe-products.ts'
import { ProgressReport } from './progress-report.ts'
import { readNumber } from './read-request.ts'
import { printResult, runCommand } from './run-command.ts'
import { untilInterrupted } from './until-interrupted.ts'

const MOST_THREADS = 256
/** Of the matrices that stayed in blocks, in words. */
const SHOWN = 5

type Kept = Awaited<ReturnType<typeof quantizeCheckpoint>>

export const quantizeCommand = defineCommand({
  args: {
    model: { type: 'positional', required: true, description: 'a folder, a GGUF file, or a downloaded hub id' },
    out: { type: 'positional', required: true, description: 'folder to make' },
    for: {
      type: 'string',
      description:
        'this-machine: times products here and takes row where it is twice as fast; portable: --bits 8 --block 128',
      valueHint: 'where',
    },
    bits: { type: 'string', description: '8 or 4; 8 by default', valueHint: 'n' },
    block: {
      type: 'string',
      description:
        '128 by default; values that share a scale: 16 to 256, 32 is best with 4 bits; or row, faster and less accurate',
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
      const rough = await quantizeCheckpoint({
        folder,
        out: args.out,
        ...format,
        threads,
        signal,
        onProgress: (progress) => report.show({ ...progress, stage: 'quantising' }),
      })
      printResult(
        args.json ?? false,
        { out: args.out, ...format, ...(reason && { reason }), kept_in_blocks: rough },
        () =>
          [
            `${colors.green('wrote')} ${args.out}`,
            ...(reason ? [`${nameFormat({ bits: format.bits, block_size: format.blockSize })}: ${reason}`] : []),
            ...describeKept(rough),
          ].join('\n'),
      )
    }),
})

/** What the guard of whole rows kept, the roughest first. */
function describeKept(rough: Kept): string[] {
  if (rough.length === 0) return []
  const lines = rough
    .toSorted((a, b) => b.error - a.error)
    .slice(0, SHOWN)
    .map(({ name, error }) => `  ${name} (${(100 * error).toFixed(1)} %)`)
  const more = rough.length > SHOWN ? [`  and ${rough.length - SHOWN} more; --json has all`] : []
  return [describeRough(rough.length), ...[...lines, ...more].map((line) => colors.dim(line))]
}

interface FormatArguments {
  readonly for?: string | undefined
  readonly bits?: string | undefined
  readonly block?: string | undefined
}

interface ChosenFormat extends Pick<QuantizeWeightsOptions, 'bits' | 'blockSize'> {
  /** Where it was chosen by what products cost here. */
  readonly reason?: string
}

async function chooseFormat(args: FormatArguments, signal: AbortSignal): Promise<ChosenFormat> {
  const { for: where, bits, block } = args
  if (where !== undefined && where !== 'this-machine' && where !== 'portable')
    throw new InvalidRequestError('--for', `expected this-machine or portable, got '${where}'`)
  if (where !== undefined && (bits !== undefined || block !== undefined))
    throw new InvalidRequestError('--for', 'chooses the format itself; leave it out, or --bits and --block')
  if (where !== 'this-machine') return readFormat(bits ?? '8', block ?? '128')
  const products = await probeProducts({ signal })
  if (products === undefined)
    throw new InvalidRequestError(
      '--for',
      'onnxruntime-node does not load here, so nothing can be timed; take portable',
    )
  const { format, reason } = adviseFormat(products)
  return { bits: format.bits, blockSize: format.block_size, reason }
}

function readFormat(bits: string, block: string) {
  const parsed = quantizationConfigSchema.safeParse({
    quant_method: 'tessera',
    bits: Number(bits),
    block_size: block === 'row' ? block : Number(block),
  })
  if (parsed.success) return { bits: parsed.data.bits, blockSize: parsed.data.block_size }
  throw new InvalidRequestError(
    '--bits and --block',
    `expected 8 or 4 bits in blocks of 16, 32, 64, 128 or 256, or 8 bits with row, got ${bits} and ${block}`,
  )
}

function readThreads(text: string | undefined): number {
  const threads = text === undefined ? availableParallelism() : readNumber('--threads', text)
  if (Number.isInteger(threads) && threads >= 1 && threads <= MOST_THREADS) return threads
  throw new InvalidRequestError('--threads', `must be a whole number from 1 to ${MOST_THREADS}, got '${text}'`)
}
