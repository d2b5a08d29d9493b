import type { Backend, Session, Tensor } from '../../src/backends/index.ts'
import { withSessions } from '../../src/backends/with-sessions.ts'
import type { BuiltGraph } from '../../src/onnx/built-graph.ts'

/** One run of a graph: what went in, and when. */
export interface Pass {
  /** Index of the graph in `Recording.models`. */
  readonly graph: number
  readonly feeds: Readonly<Record<string, Tensor>>
  /** Names of the results that were asked for, where not all were. */
  readonly outputs?: readonly string[]
  readonly started: number
  readonly ended: number
}

export interface Recording {
  /** Graphs in the order in which sessions were created for them. */
  readonly models: BuiltGraph[]
  /** Runs since `passes` was last emptied. */
  readonly passes: Pass[]
}

/** The same backend, writing down every graph that is opened and every run. */
export function recordPasses(backend: Backend): { backend: Backend; recording: Recording } {
  const recording: Recording = { models: [], passes: [] }
  const recordRuns = (session: Session, graph: number): Session => ({
    ...session,
    // Results are feeds of other passes, which are run again after the call.
    free: () => {},
    async run(feeds, outputs) {
      const started = performance.now()
      const results = await session.run(feeds, outputs)
      // The recorder offers no sessions whose results stay on a device.
      const host = feeds as Pass['feeds']
      recording.passes.push({ graph, feeds: host, ...(outputs && { outputs }), started, ended: performance.now() })
      return results
    },
  })
  const recorder = withSessions(backend, {
    async createSession(model) {
      const graph = recording.models.push(model) - 1
      return recordRuns(await backend.createSession(model), graph)
    },
  })
  return { backend: recorder, recording }
}
