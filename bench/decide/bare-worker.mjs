// A thread like the engine's that repeats recorded runs as a program written by hand would: onnxruntime's own sessions,
// feeds made beforehand, nothing around `session.run`. See open-bare.ts for what it is told.
import { parentPort, workerData } from 'node:worker_threads'
import ort from 'onnxruntime-node'

const { models, passes, threads, spinning } = workerData
const toOrt = ({ type, data, dims }) => new ort.Tensor(type, data, dims)

const sessions = []
for (const { bytes, folder } of models) {
  sessions.push(
    await ort.InferenceSession.create(bytes, {
      executionProviders: ['cpu'],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      logSeverityLevel: 4,
      extra: {
        session: {
          model_external_initializers_file_folder_path: folder,
          intra_op: { allow_spinning: spinning ? '1' : '0' },
        },
      },
    }),
  )
}
const runs = passes.map(({ graph, feeds, outputs }) => ({
  session: sessions[graph],
  outputs,
  feeds: Object.fromEntries(Object.entries(feeds).map(([name, tensor]) => [name, toOrt(tensor)])),
}))

parentPort.on('message', async (message) => {
  if (message === 'close') {
    for (const session of sessions) await session.release()
    return parentPort.close()
  }
  const [started, used] = [performance.now(), process.cpuUsage()]
  for (const { session, feeds, outputs } of runs) await session.run(feeds, outputs ?? session.outputNames)
  const { user, system } = process.cpuUsage(used)
  parentPort.postMessage({ time: performance.now() - started, processor: (user + system) / 1000 })
})
parentPort.postMessage('ready')
