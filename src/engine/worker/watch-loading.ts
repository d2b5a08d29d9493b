import type { Progress } from '../../jobs/job-context.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'

/**
 * Tells how far the opening of a model is, from its beginning, as its sessions come.
 *
 * @param total bytes that it will take; undefined for one that is open at once, of which nothing is told
 */
export async function watchLoading<T>(
  total: number | undefined,
  onProgress: (progress: Progress) => void,
  open: (onOpened: (model: BuiltGraph) => void) => Promise<T>,
): Promise<T> {
  if (total === undefined) return open(() => {})
  let loaded = 0
  const tell = (done: number) => onProgress({ stage: 'loading', done, total })
  tell(0)
  const opened = await open(({ memory }) => {
    loaded += (memory?.floats ?? 0) + (memory?.rest ?? 0)
    tell(Math.min(loaded, total))
  })
  tell(total)
  return opened
}
