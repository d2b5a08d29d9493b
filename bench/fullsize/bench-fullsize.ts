import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { predictMemory } from '../../src/engine/memory/predict-memory.ts'
import { openModel } from '../../src/models/index.ts'
import { describeEnvironment } from '../measure/environment.ts'
import type { Bench, BenchOptions } from '../report/bench.ts'
import { type Checkpoint, CHECKPOINTS, type Scale } from './checkpoints.ts'
import { renderFullsize } from './render-fullsize.ts'
import type { FullsizeModel, FullsizeResults, ModelFigures } from './results.ts'

const FOLDER = 'out/bench-fullsize'
const SIDE = 512

/** Memory and times of checkpoints in their published sizes, whose weights are random: written, measured, and deleted. */
export const fullsizeBench: Bench<FullsizeResults> = {
  async measure({ checkpoints, threads }) {
    const models: FullsizeModel[] = []
    for (const name of checkpoints) models.push(await measureCheckpoint(findCheckpoint(name), 'full', { threads }))
    return { models }
  },
  join: (before, { models }) => ({
    models: CHECKPOINTS.flatMap(({ name }) => {
      const named = (model: FullsizeModel) => model.name === name
      return models.find(named) ?? before.models.find(named) ?? []
    }),
  }),
  render: (results) => ({ markdown: renderFullsize(results) }),
}

export function findCheckpoint(name: string): Checkpoint {
  const found = CHECKPOINTS.find((checkpoint) => checkpoint.name === name)
  if (found !== undefined) return found
  throw new Error(`expected ${CHECKPOINTS.map((checkpoint) => checkpoint.name).join(', ')}; got "${name}"`)
}

/** Its files are there no longer than it is measured. @param side of pictures */
export async function measureCheckpoint(
  checkpoint: Checkpoint,
  scale: Scale,
  { threads, side = SIDE }: Pick<BenchOptions, 'threads'> & { readonly side?: number },
  folder = join(FOLDER, checkpoint.name),
): Promise<FullsizeModel> {
  const { name, title, kind, budget, write } = checkpoint
  await rm(folder, { recursive: true, force: true })
  try {
    await write(folder, scale)
    const { open, needed } = await predictMemory(openModel(folder))
    const file = await readThrough(folder)
    const args = ['scripts/run-ts.mjs', 'bench/fullsize/measure-once.ts', `./${folder}`, kind, threads, budget, side]
    const environment = await describeEnvironment(threads)
    const { stdout } = await promisify(execFile)(process.execPath, args.map(String))
    const figures = JSON.parse(stdout.trim().split('\n').at(-1)!) as ModelFigures
    const measured = { ...environment, load_after: loadavg()[0] ?? Number.NaN }
    return { name, title, environment: measured, file, budget, predicted: { open, needed }, ...figures }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Brings the weights into the system's cache, and weighs them. */
async function readThrough(folder: string): Promise<number> {
  let bytes = 0
  for (const path of await readdir(folder, { recursive: true })) {
    if (!path.endsWith('.safetensors')) continue
    bytes += (await stat(join(folder, path))).size
    for await (const _ of createReadStream(join(folder, path), { highWaterMark: 2 ** 22 }));
  }
  return bytes
}
