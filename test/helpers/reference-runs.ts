import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CONTROL_NETS, type ControlNetName, materializeControlled, readControlCases } from './control-net.ts'
import { drawMask } from './draw-mask.ts'
import type { SeededRequest } from './generate-picture.ts'
import {
  IMAGE_BUNDLES,
  type ImageBundle,
  type ImageBundleName,
  imageFixture,
  materializeBundle,
  PROMPTS,
} from './image-bundle.ts'
import { drawPicture } from './pseudo-random.ts'

/** What all runs of a reference pipeline say, in `starts.json`, `samplers.json` and `cases.json` of ControlNets. */
interface RecordedRun {
  readonly name: string
  readonly prompt: 'short' | 'long'
  readonly size: readonly [width: number, height: number]
  readonly seed: number
  readonly steps: number
  readonly guidance: number
  readonly strength?: number
  readonly negative?: string
  readonly mask?: readonly [left: number, top: number, right: number, bottom: number]
  /** Configuration of a scheduler. */
  readonly scheduler?: Readonly<Record<string, unknown>> & { readonly _class_name: string }
  /** Size of the picture that is followed. */
  readonly control?: readonly [width: number, height: number]
  readonly scale?: number
}

/** A picture of a reference pipeline, and what makes the same here. */
export interface ReferenceRun {
  /** Class of the scheduler, where it is not the bundle's. */
  readonly sampler?: string | undefined
  readonly run: RecordedRun
  readonly request: SeededRequest
  /** The file that has it, and its name there. */
  readonly file: string
  readonly tensor: string
}

function readRuns(...path: string[]): RecordedRun[] {
  return JSON.parse(readFileSync(join(imageFixture('.'), ...path), 'utf8')) as RecordedRun[]
}

/** Runs that begin with a picture; see generate-image-start-fixtures.py. */
export function startRuns(bundle: ImageBundleName): ReferenceRun[] {
  return readRuns(bundle, 'starts.json').map((run) => ({
    run,
    request: {
      ...sampling(run),
      ...(run.strength !== undefined && { strength: run.strength }),
      ...(run.negative !== undefined && { negativePrompt: run.negative }),
      ...source(run, `${bundle}/${run.name}`),
    },
    file: join(imageFixture(bundle), 'starts.safetensors'),
    tensor: run.name,
  }))
}

/** Runs with other samplers; see generate-image-sampler-fixtures.py. Their scheduler takes the place of the bundle's. */
export function samplerRuns(bundle: Exclude<ImageBundleName, 'z-image-base'>): ReferenceRun[] {
  const file = join(imageFixture(bundle), 'samplers.safetensors')
  return readRuns(bundle, 'samplers.json').map((run) => ({
    run,
    sampler: run.scheduler?.['_class_name'],
    request: { ...sampling(run), ...sides(run) },
    file,
    tensor: run.name,
  }))
}

/** Runs that follow a control; see generate-image-control-fixtures.py. */
export function controlRuns(net: ControlNetName): ReferenceRun[] {
  const fixture = `controlnets/${net}`
  return readControlCases(net).cases.map((run) => {
    const seed = `${fixture}/${run.name}`
    const control = { picture: drawPicture(seed, ...run.control, 3), scale: run.scale }
    const shape = run.mask ? source(run, `${seed}/source`) : sides(run)
    return {
      run,
      request: { ...sampling(run), ...shape, control },
      file: join(imageFixture(fixture), 'expected.safetensors'),
      tensor: `picture.${run.name}`,
    }
  })
}

function sampling({ prompt, seed, steps, guidance }: RecordedRun) {
  return { prompt: PROMPTS[prompt], seed, steps, guidance }
}

function sides({ size: [width, height] }: RecordedRun) {
  return { width, height }
}

function source({ size, mask }: RecordedRun, seed: string) {
  return { references: [drawPicture(seed, ...size, 3)], ...(mask && { mask: drawMask(...size, mask) }) }
}

/** Writes the scheduler of a run into its bundle. */
export async function useScheduler(bundle: ImageBundle, { scheduler }: RecordedRun): Promise<void> {
  if (scheduler === undefined) return
  await writeFile(join(bundle.folder, 'scheduler/scheduler_config.json'), JSON.stringify(scheduler))
}

export interface ReferenceModel {
  readonly model: string
  readonly runs: readonly ReferenceRun[]
  materialize(): Promise<ImageBundle>
}

/** All of them, by the tiny model that makes them. */
export function listReferenceModels(): ReferenceModel[] {
  return [
    ...IMAGE_BUNDLES.map((bundle) => ({
      model: bundle,
      runs: [...startRuns(bundle), ...(bundle === 'z-image-base' ? [] : samplerRuns(bundle))],
      materialize: () => materializeBundle(bundle),
    })),
    ...CONTROL_NETS.map((net) => ({
      model: `${readControlCases(net).bundle}, ControlNet ${net}`,
      runs: controlRuns(net),
      materialize: () => materializeControlled(net),
    })),
  ]
}
