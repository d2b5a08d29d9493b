import { randomInt } from 'node:crypto'
import colors from 'picocolors'
import type { ControlOption, EditImageCallOptions, Engine, Progress } from '../../engine/index.ts'
import { type FieldNames, renameField } from '../../errors/rename-field.ts'
import { count, readOption } from '../../options/index.ts'
import { type ImageResponse, LIMITS } from '../../schemas/index.ts'
import { type EngineArguments, engineArguments, useFor } from '../engine-arguments.ts'
import { loraArgument, readLoras } from '../lora-arguments.ts'
import { openEngine } from '../open-engine.ts'
import { readPathWithScale } from '../path-with-scale.ts'
import { printWarnings } from '../print-warnings.ts'
import { ProgressReport } from '../progress-report.ts'
import { readNumber, readOptionalNumber } from '../read-number.ts'
import { printResult } from '../run-command.ts'
import { planFiles, writePicture } from './picture-files.ts'
import { renderPreview } from './preview.ts'
import { readPicture } from './read-picture.ts'
import { writePreviews } from './write-previews.ts'

const SEEDS = 2 ** 32

/** Arguments of the commands that make pictures. */
export const pictureArguments = {
  out: { type: 'string', alias: 'o', description: 'PNG file to write; default picture-<seed>.png', valueHint: 'file' },
  force: { type: 'boolean', alias: 'f', description: 'replace files that exist' },
  seed: {
    type: 'string',
    description: 'whole number; the same one draws the same picture. Default: random',
    valueHint: 'n',
  },
  n: { type: 'string', default: '1', description: 'pictures, 1 to 4, from seed, seed + 1, ...', valueHint: 'n' },
  steps: { type: 'string', description: 'denoising steps; default: what the model was made for', valueHint: 'n' },
  guidance: {
    type: 'string',
    description: 'how closely to follow the words; default: what the model was made for',
    valueHint: 'x',
  },
  negative: {
    type: 'string',
    description: 'what the picture should not show; for models with guidance',
    valueHint: 'words',
  },
  control: {
    type: 'string',
    description: 'picture whose edges, pose or depth to follow, and how closely (0 to 2); for models with a ControlNet',
    valueHint: 'file[:scale]',
  },
  previews: {
    type: 'string',
    description: 'folder for a small preview after each step',
    valueHint: 'folder',
  },
  json: { type: 'boolean', description: 'print the names of the files and their seeds as JSON' },
  ...loraArgument,
  ...engineArguments,
  use: {
    type: 'string',
    description: 'model that draws: the folder of a pipeline, or a downloaded hub id; default image-mini',
    valueHint: 'folder|id',
  },
} as const

export interface PictureArguments extends EngineArguments {
  readonly out?: string | undefined
  readonly force?: boolean | undefined
  readonly seed?: string | undefined
  readonly n: string
  readonly steps?: string | undefined
  readonly guidance?: string | undefined
  readonly negative?: string | undefined
  readonly control?: string | undefined
  readonly previews?: string | undefined
  readonly json?: boolean | undefined
  readonly lora?: string | undefined
}

/** What a call of the engine needs beside words and sources. */
interface Call {
  readonly n: number
  readonly seed: number
  readonly options: Pick<
    EditImageCallOptions,
    'steps' | 'guidance' | 'negativePrompt' | 'control' | 'lora' | 'onProgress' | 'onPreview'
  >
}

/** Flags of what the engine knows as options and fields of requests; what has none stands where it belongs. */
const FLAGS: FieldNames = {
  steps: '--steps',
  guidance: '--guidance',
  negativePrompt: '--negative',
  strength: '--strength',
  control: '--control',
  mask: '--mask',
  size: '--size',
  seed: '--seed',
  lora: '--lora',
}

/**
 * Makes pictures and writes them to files, whose names are checked before the work.
 *
 * @param model name that `--use` gives another model to
 */
export async function makePictures(
  args: PictureArguments,
  model: string,
  make: (engine: Engine, call: Call) => Promise<ImageResponse>,
): Promise<void> {
  const seed = readOptionalNumber('--seed', args.seed) ?? randomInt(SEEDS)
  const n = readCount(args.n)
  const force = args.force ?? false
  const paths = await planFiles(args.out ?? `picture-${seed}.png`, n, force)
  await using engine = await openEngine(args, useFor(model, args))
  const started = performance.now()
  const report = new ProgressReport()
  const options = {
    steps: readOptionalNumber('--steps', args.steps),
    guidance: readOptionalNumber('--guidance', args.guidance),
    negativePrompt: args.negative,
    control: args.control === undefined ? undefined : await readControl(args.control),
    onPreview: args.previews === undefined ? undefined : writePreviews(args.previews),
    lora: readLoras(args.lora),
    onProgress: (progress: Progress) => report.show(progress),
  }
  const response = await make(engine, { n, seed, options }).catch((error: unknown) => {
    throw renameField(error, FLAGS)
  })
  printWarnings(response)
  const { data } = response
  const latency_ms = Math.round(performance.now() - started)
  for (const [k, { b64_json }] of data.entries()) await writePicture(paths[k]!, b64_json, force)
  if (!args.json && process.stderr.isTTY) {
    for (const { b64_json } of data) process.stderr.write(renderPreview(b64_json, process.env) ?? '')
  }
  const files = paths.map((path, k) => ({ path, seed: seedOf(seed, k) }))
  printResult(args.json ?? false, { files, latency_ms }, () =>
    [
      ...files.map(({ path, seed }) => `${colors.green('wrote')} ${path}  ${colors.dim(`seed ${seed}`)}`),
      colors.dim(`${(latency_ms / 1000).toFixed(1)} s`),
    ].join('\n'),
  )
}

async function readControl(text: string): Promise<ControlOption> {
  const { path, ...scale } = readPathWithScale(text)
  return { image: await readPicture('control', path), ...scale }
}

/** The seed that gives picture `k` alone. Only the low 32 bits count, so after the last safe integer comes 0. */
function seedOf(seed: number, k: number): number {
  return seed + k > Number.MAX_SAFE_INTEGER ? seed + k - Number.MAX_SAFE_INTEGER - 1 : seed + k
}

function readCount(text: string): number {
  const { min, max } = LIMITS.imagesPerCall
  return readOption('--n', count(min, max), readNumber('--n', text))
}
