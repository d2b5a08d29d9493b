import { measureAvailableMemory } from '../engine/available-memory.ts'
import { predictMemory } from '../engine/predict-memory.ts'
import { findRemedy } from '../engine/require-memory.ts'
import { openModel, resolveModel } from '../models/index.ts'

/** Whether a model fits into memory here; all sizes in bytes. */
export interface ModelDiagnosis {
  readonly id: string
  readonly folder: string
  readonly fits: boolean
  readonly memory: {
    /** Once it is open. */
    readonly open: number
    /** While it reads a state of 1,024 tokens, or makes a picture of 512 × 512. */
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
  const prediction = await predictMemory(openModel(folder))
  const { bytes: available, limit } = await measure()
  const [open, needed] = [Math.round(prediction.open), Math.round(prediction.needed)]
  const fits = needed <= available
  const memory = { open, needed, available, limit }
  return { id, folder, fits, memory, ...(!fits && { remedy: findRemedy(model, prediction, available) }) }
}
