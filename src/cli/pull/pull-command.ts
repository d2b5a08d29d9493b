import { defineCommand } from 'citty'
import colors from 'picocolors'
import { countUsableProcessors } from '../../backends/usable-processors.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { PIPELINE_PARTS, type PipelinePart } from '../../models/pipeline-parts.ts'
import type { PullProgress } from '../../models/pull/fetch-files.ts'
import type { PullQuantizedOptions } from '../../models/pull/pull-quantized.ts'
import type { PullRetry } from '../../models/pull/retry.ts'
import { describeRough } from '../describe-rough.ts'
import { printResult, runCommand } from '../run-command.ts'
import { untilInterrupted } from '../until-interrupted.ts'
import { DownloadReport } from './download-report.ts'

/** What is best with each number of bits, and the fastest on processors with matrix units. */
const FORMATS: ReadonlyMap<string, Pick<PullQuantizedOptions, 'bits' | 'blockSize'>> = new Map([
  ['int8', { bits: 8, blockSize: 128 }],
  ['int4', { bits: 4, blockSize: 32 }],
  ['int8-rows', { bits: 8, blockSize: 'row' }],
])

/** Said of rows. */
const UNSMOOTHED =
  'no channels are smoothed, as that takes the whole model: after a plain pull `npx tessera-onnx quantize --block row` smooths those of language models'

export const pullCommand = defineCommand({
  args: {
    model: {
      type: 'positional',
      required: true,
      description: 'owner/name on the hub (:Q4_K_M for one of its GGUF files), or a short name such as qwen3-0.6b',
    },
    revision: { type: 'string', default: 'main', description: 'branch, tag or commit', valueHint: 'name' },
    without: {
      type: 'string',
      description: 'parts of a pipeline to leave the weights of, with commas',
      valueHint: 'parts',
    },
    quantize: {
      type: 'string',
      description: 'make a copy in fewer bits in a folder, one file of weights after another: int8, int4 or int8-rows',
      valueHint: 'format',
    },
    out: { type: 'string', description: 'folder of that copy, ./<name>-<format> by default', valueHint: 'folder' },
    json: { type: 'boolean', description: 'print JSON' },
  },
  run: (context) =>
    runCommand(context, async ({ args: { model, revision, without, quantize, out, json } }) => {
      // Loaded here, so that no other command reads the hub's client.
      const [{ pullModel }, { pullQuantized }] = await Promise.all([
        import('../../models/pull/pull-model.ts'),
        import('../../models/pull/pull-quantized.ts'),
      ])
      const report = new DownloadReport(process.stderr)
      const options = {
        id: model,
        revision,
        signal: untilInterrupted(),
        onProgress: (progress: PullProgress) => report.show(progress),
        onRetry: (retry: PullRetry) => report.say(describeRetry(retry)),
        onWait: () => report.say(`another process downloads ${model}; waiting for it`),
      }
      const parts = readParts(without)
      const copy = readCopy(model, { quantize, out, without })
      const folder = await (copy === undefined
        ? pullModel({ ...options, without: parts })
        : pullQuantized({
            ...options,
            ...copy,
            threads: countUsableProcessors(),
            onQuantize: (file) => report.say(`${file}: quantising`),
            onRough: (names) => report.say(describeRough(names.length)),
          }))
      printResult(json ?? false, { model, revision, folder }, () =>
        [
          `${colors.green('pulled')} ${model}`,
          ...(copy?.blockSize === 'row' ? [UNSMOOTHED] : []),
          colors.dim(folder),
        ].join('\n'),
      )
    }),
})

function readParts(text: string | undefined): PipelinePart[] {
  const known = PIPELINE_PARTS.map(({ folder }) => folder)
  return (text?.split(',') ?? []).map((name) => {
    const part = known.find((one) => one === name.trim())
    if (part !== undefined) return part
    throw new InvalidRequestError('--without', `expected parts among ${known.join(', ')}, got '${name}'`)
  })
}

/** How a copy is to be stored, and where; undefined where none is asked for. */
function readCopy(
  model: string,
  { quantize, out, without }: Readonly<Record<'quantize' | 'out' | 'without', string | undefined>>,
) {
  if (quantize === undefined) {
    if (out === undefined) return undefined
    throw new InvalidRequestError('--out', 'is for --quantize; without it models go into the cache of the hub')
  }
  const format = FORMATS.get(quantize)
  if (format === undefined)
    throw new InvalidRequestError('--quantize', `expected ${[...FORMATS.keys()].join(', ')}, got '${quantize}'`)
  if (without !== undefined) throw new InvalidRequestError('--without', 'makes no sense with --quantize')
  return { ...format, out: out ?? `./${model.split('/').at(-1)}-${quantize}` }
}

function describeRetry({ file, reason, delay }: PullRetry): string {
  return `${file}: ${reason}; trying again in ${(delay / 1000).toFixed(0)} s`
}
