import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'
import { weighModel } from '../../src/models/index.ts'
import { type RandomFiles, writeRandomFiles } from '../models/write-random-files.ts'
import type { Bench, BenchOptions } from '../report/bench.ts'
import { ENCODERS, readEncoderTokenizer } from './published-encoders.ts'
import { blockOf, LANGUAGE_MODELS, languageModelFiles } from './published-language-models.ts'
import { renderFamilies } from './render-families.ts'
import type { FamiliesResults, Family, FamilyFigures } from './results.ts'

const FOLDER = 'out/bench-models/family'
/** Calls of the larger models take many seconds. */
const RUNS = 2

/** Decision models on encoders in their published shapes with random weights, each in a process of its own. */
export const encodersBench: Bench<FamiliesResults> = {
  async measure(options) {
    const tokenizer = await readEncoderTokenizer()
    const families: Family[] = []
    for (const [name, files] of Object.entries(ENCODERS)) {
      families.push(await measure({ name, weights: 'float32', files: files(tokenizer) }, options))
    }
    return { families }
  },
  render: ({ families }) => ({ markdown: renderFamilies(families) }),
}

/** The same of language models, with weights in 8 bits. */
export const languageModelsBench: Bench<FamiliesResults> = {
  async measure(options) {
    const families: Family[] = []
    for (const name of LANGUAGE_MODELS) {
      const block = blockOf(name)
      const files = await languageModelFiles(name, block)
      families.push(await measure({ name, weights: `int8 in blocks of ${block}`, files, block }, options))
    }
    return { families }
  },
  render: ({ families }) => ({ markdown: renderFamilies(families) }),
}

interface Shape {
  readonly name: string
  readonly weights: string
  readonly files: RandomFiles
  /** Weights of 8 bits that share a scale; float32 without. */
  readonly block?: number
}

async function measure({ name, weights, files, block }: Shape, { runs }: BenchOptions): Promise<Family> {
  console.error(name)
  await writeRandomFiles(FOLDER, files, block === undefined ? undefined : { bits: 8, block })
  const args = ['scripts/run-ts.mjs', 'bench/families/measure-family.ts', FOLDER, Math.min(runs, RUNS)]
  // Language models read the state once for all questions; `npm run bench -- decide` measures that.
  if (block === undefined) args.push('questions')
  const { stdout } = await promisify(execFile)(process.execPath, args.map(String))
  const sizes = Object.values(files.weights).flatMap((shapes) => Object.values(shapes))
  const parameters = sizes.reduce((sum, shape) => sum + shape.reduce((product, dim) => product * dim, 1), 0)
  const file = (await weighModel(FOLDER)) / 2 ** 20
  await rm(FOLDER, { recursive: true })
  return { name, weights, parameters, file_mib: file, ...(JSON.parse(stdout) as FamilyFigures) }
}
