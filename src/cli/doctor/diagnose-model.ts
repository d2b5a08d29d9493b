import { measureAvailableMemory } from '../../engine/memory/available-memory.ts'
import { fitsWhole, stageLimit } from '../../engine/memory/memory-prediction.ts'
import { findRemedy } from '../../engine/memory/require-memory.ts'
import { openModel, resolveModel } from '../../models/index.ts'
import { predictMemoryHere } from '../predict-memory-here.ts'

/** Whether a model fits into memory here; all sizes in bytes. */
export interface ModelDiagnosis {
  readonly id: string
  readonly folder: string
  readonly fits: boolean
  /** Whether the parts of an image model are opened one after the other, as they do not fit together. */
  readonly inStages: boolean
  readonly memory: {
    /** With all its parts open. */
    readonly open: number
    /** The least with which it reads a state of 1,024 tokens, or of its window where that is less, or makes a picture of 512 × 512. */
    readonly needed: number
    readonly available: number
    /** What allows no more. */
    readonly limit: 'the machine' | 'the container'
  }
  /** What makes it fit. */
  readonly remedy?: string
}

/** @throws ModelNotFoundError, ModelFormatError */
export async function diagnoseModel(model: string, measure = measureAvailableMemory): Promise<ModelDiagnosis> {
  const { id, folder } = await resolveModel(model)
  const prediction = await predictMemoryHere(openModel(folder))
  const { bytes: available, limit } = await measure()
  const [open, needed] = [Math.round(prediction.open), Math.round(prediction.needed)]
  const fits = needed <= available
  const memory = { open, needed, available, limit }
  const divides = stageLimit(prediction, available) !== undefined
  const inStages = fits && divides && !fitsWhole(prediction, available)
  return { id, folder, fits, inStages, memory, ...(!fits && { remedy: findRemedy(model, prediction, available) }) }
}
