import { ModelFormatError } from '../errors/index.ts'
import type { WeightIndex } from '../models/weights/weight-index.ts'
import type { BuiltGraph } from '../onnx/built-graph.ts'

/**
 * A tensor that no graph reads belongs to another model than the configuration describes, which would answer otherwise.
 *
 * @param graphs all that are made of the checkpoint
 * @param unread names that published checkpoints carry and nothing depends on
 * @throws ModelFormatError naming the first tensor that is neither read nor known
 */
export function refuseUnread(weights: WeightIndex, graphs: readonly BuiltGraph[], unread: readonly RegExp[]): void {
  const read = new Set(graphs.flatMap(({ tensors = [] }) => tensors))
  const unused = Array.from(weights.changes ?? []).find(([name]) => !read.has(name))
  if (unused !== undefined) {
    const [name, changes] = unused
    throw new ModelFormatError(changes[0]!.file, 'changes of matrices that this model computes with', name)
  }
  const left = weights.names.find((name) => !read.has(name) && !unread.some((pattern) => pattern.test(name)))
  if (left === undefined) return
  const file = `${weights.folder}/${weights.get(left)!.file}`
  throw new ModelFormatError(file, 'only tensors that this model computes with', left.slice(0, 200))
}
