import * as ort from 'onnxruntime-node'
import type { Tensor } from '../../src/backends/index.ts'
import type { Recording } from './record-passes.ts'

type Tensors = Readonly<Record<string, Tensor>>

/** Recorded runs as a program written by hand would do them: onnxruntime's own sessions, feeds made beforehand. */
export interface RawRuns {
  /** Repeats all recorded runs in their order. */
  replay(): Promise<void>
  dispose(): Promise<void>
}

/** `spinning` is whether threads wait for work in a busy loop, which is onnxruntime's default and not this library's. */
export async function openRaw(
  { models, passes }: Recording, { threads, spinning }: { threads: number; spinning: boolean },
): Promise<RawRuns> {
  const sessions: ort.InferenceSession[] = []
  for (const { bytes, folder } of models) {
    sessions.push(await ort.InferenceSession.create(bytes, {
      executionProviders: ['cpu'],
      intraOpNumThreads: threads,
      logSeverityLevel: 4,
      extra: {
        session: {
          model_external_initializers_file_folder_path: folder,
          intra_op: { allow_spinning: spinning ? '1' : '0' },
        },
      },
    }))
  }
  const runs = passes.map(({ graph, feeds, into = {} }) => {
    const session = sessions[graph] as ort.InferenceSession
    const fetches = session.outputNames.map((name) => [name, into[name] ? toOrt(into[name]) : null])
    const targets = Object.fromEntries(fetches) as Record<string, ort.Tensor | null>
    return { session, feeds: mapToOrt(feeds), fetches: targets }
  })
  return {
    async replay() {
      for (const { session, feeds, fetches } of runs) await session.run(feeds, fetches)
    },
    async dispose() {
      for (const session of sessions) await session.release()
    },
  }
}

function toOrt({ type, data, dims }: Tensor): ort.Tensor {
  return new ort.Tensor(type, data as Uint8Array, dims)
}

function mapToOrt(tensors: Tensors): Record<string, ort.Tensor> {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, toOrt(tensor)]))
}
