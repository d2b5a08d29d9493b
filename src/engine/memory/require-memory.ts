import { InsufficientMemoryError } from '../../errors/index.ts'
import { isHubName } from '../../models/find/is-model-name.ts'
import { formatBytes } from '../../models/format-bytes.ts'
import { type AvailableMemory, measureAvailableMemory } from './available-memory.ts'
import type { MemoryPrediction } from './memory-prediction.ts'

/**
 * Refuses a model before it is opened where it would not fit: the system would end the whole process.
 *
 * @param model its name or folder, as the command line takes it
 * @param reusable bytes that closed models have left to this process
 * @returns bytes that it may take
 * @throws InsufficientMemoryError
 */
export async function requireMemory(
  model: string,
  prediction: MemoryPrediction,
  reusable: number,
  measure: () => Promise<AvailableMemory> = measureAvailableMemory,
): Promise<number> {
  const { bytes, limit } = await measure()
  const available = bytes + reusable
  const { needed } = prediction
  if (needed <= available) return available
  const what = `${model} needs about ${formatBytes(Math.round(needed))} of memory`
  const reason = `${what}, and ${limit} has ${formatBytes(Math.max(0, Math.round(available)))} left`
  throw new InsufficientMemoryError(reason, findRemedy(model, prediction, available), { needed, available })
}

/** What makes a model fit into so much memory, or comes nearest to it. */
export function findRemedy(model: string, { quantized }: MemoryPrediction, available: number): string {
  const last = model.split('/').at(-1)!
  // No folder of Windows has a colon in its name, beside that of a drive.
  const name = isHubName(model) ? last.replace(':', '-') : last
  const command = (bits: 8 | 4) => `npx tessera-onnx quantize ${model} ${name}-int${bits} --bits ${bits}`
  if (quantized === undefined)
    return 'Close other programs, raise the limit, or take a smaller model or one in fewer bits'
  const fits = ([8, 4] as const).find((bits) => quantized[bits] <= available)
  if (fits) return `Run: ${command(fits)}, which makes one of about ${formatBytes(Math.round(quantized[fits]))}`
  const least = formatBytes(Math.round(quantized[4]))
  return `Even in 4 bits it needs ${least} (${command(4)}): close other programs, raise the limit, or take a smaller model`
}
