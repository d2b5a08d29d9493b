import type { MemoryPrediction } from '../engine/memory/memory-prediction.ts'
import { predictMemory, rewritesInt8 } from '../engine/memory/predict-memory.ts'
import type { ModelFiles } from '../models/files/model-files.ts'
import { openCpu } from './open-cpu.ts'

/**
 * Predicts what a model takes on the processor of this machine; where onnxruntime-node does not load, on a usual one.
 *
 * @throws ModelFormatError as opening it would
 */
export async function predictMemoryHere(files: ModelFiles): Promise<MemoryPrediction> {
  return predictMemory(files, { rewritesInt8: await askProcessor() })
}

async function askProcessor(): Promise<boolean> {
  const backend = await openCpu({ threads: 1 })
  await backend?.dispose()
  return backend !== undefined && rewritesInt8(backend)
}
