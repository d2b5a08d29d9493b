import { createCpuBackend } from '../backends/index.ts'
import type { MemoryPrediction } from '../engine/memory/memory-prediction.ts'
import { predictMemory, rewritesInt8 } from '../engine/memory/predict-memory.ts'
import { BackendUnavailableError } from '../errors/index.ts'
import type { ModelFiles } from '../models/files/model-files.ts'

/**
 * Predicts what a model takes on the processor of this machine; where onnxruntime-node does not load, on a usual one.
 *
 * @throws ModelFormatError as opening it would
 */
export async function predictMemoryHere(files: ModelFiles): Promise<MemoryPrediction> {
  return predictMemory(files, { rewritesInt8: await askProcessor() })
}

async function askProcessor(): Promise<boolean> {
  try {
    const backend = await createCpuBackend({ threads: 1 })
    await backend.dispose()
    return rewritesInt8(backend)
  } catch (error) {
    if (error instanceof BackendUnavailableError) return false
    throw error
  }
}
