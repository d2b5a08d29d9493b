import type { Value } from '../../onnx/graph-builder.ts'
import { add, sqrt } from '../../onnx/ops/elementwise.ts'
import { reshape } from '../../onnx/ops/shape.ts'
import { floatWeight, type GraphContext } from './weights.ts'

/** Mean and standard deviation of each packed latent channel, [channels, 1, 1], that the checkpoint stores as `bn`. */
export function batchStatistics(
  model: GraphContext,
  channels: number,
  epsilon: number,
): { readonly mean: Value; readonly deviation: Value } {
  const { g } = model
  const stored = (part: string) => reshape(g, floatWeight(model, `bn.running_${part}`, [channels]), [channels, 1, 1])
  return { mean: stored('mean'), deviation: sqrt(g, add(g, stored('var'), g.scalar(epsilon, 'float32'))) }
}
