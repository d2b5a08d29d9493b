import { createCpuBackend } from '../../src/backends/index.ts'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'
import { recordPasses } from '../decide/record-passes.ts'
import type { Child } from '../measure/child.ts'
import { timeAlternating } from '../measure/time-alternating.ts'
import { provideRandomModel, type Precision } from '../models/random-checkpoint.ts'
import { openPeer, type Peer, PEER_NAMES } from './open-peer.ts'
import type { Family, StepModel } from './step-model.ts'

const PRECISIONS: readonly Precision[] = ['float32', 'int8', 'int8_rows', 'int4']

export interface StepFigures {
  readonly kind: Family['kind']
  readonly side: number
  readonly gflop: number
  /** One step of each precision here, and of the peers that there are. */
  readonly times: Readonly<Partial<Record<Precision | Peer, Summary>>>
  /** Share of a step that is not inside onnxruntime. */
  readonly outside: Readonly<Record<Precision, Summary>>
  /** Distance of the prediction from that with float32 weights, relative in the root mean square. */
  readonly deviation: Readonly<Record<Precision, number>>
}

export async function measureSteps(
  family: Family,
  side: number,
  { threads, runs }: { readonly threads: number; readonly runs: number },
): Promise<StepFigures> {
  const { backend, recording } = recordPasses(await createCpuBackend({ threads }))
  const models = new Map<Precision, StepModel>()
  for (const precision of PRECISIONS) {
    models.set(precision, await family.open(backend, await provideRandomModel(family.model, precision), side))
  }
  const outside = new Map<Precision, number[]>(PRECISIONS.map((precision) => [precision, []]))
  const step = (precision: Precision) => async () => {
    recording.passes.length = 0
    const started = performance.now()
    await models.get(precision)?.predict()
    const total = performance.now() - started
    const inside = recording.passes.reduce((sum, pass) => sum + pass.ended - pass.started, 0)
    outside.get(precision)?.push((total - inside) / total)
  }
  const peers = await openPeers(family, side, threads)
  const ways = { ...Object.fromEntries(PRECISIONS.map((precision) => [precision, step(precision)])), ...peers.ways }
  const times = await timeAlternating(ways, runs)
  const predict = async (precision: Precision) => (await models.get(precision)?.predict()) as Float32Array
  const exact = await predict('float32')
  const deviation: Partial<Record<Precision, number>> = {}
  for (const precision of PRECISIONS) deviation[precision] = distance(await predict(precision), exact)
  await peers.close()
  await backend.dispose()
  const shares = [...outside].map(([precision, values]) => [precision, summarize(values)])
  return {
    kind: family.kind,
    side,
    gflop: family.countWork(side),
    times,
    outside: Object.fromEntries(shares) as StepFigures['outside'],
    deviation: deviation as StepFigures['deviation'],
  }
}

async function openPeers(family: Family, side: number, threads: number) {
  const ways: Record<string, () => Promise<void>> = {}
  const opened: Child[] = []
  for (const peer of PEER_NAMES) {
    const child = await openPeer(peer, family, { side, threads })
    if (child === undefined) continue
    opened.push(child)
    ways[peer] = () => child.step()
  }
  return { ways, close: () => Promise.all(opened.map((child) => child.close())) }
}

function distance(values: Float32Array, exact: Float32Array): number {
  let error = 0
  let size = 0
  for (let i = 0; i < exact.length; i++) {
    error += ((values[i] as number) - (exact[i] as number)) ** 2
    size += (exact[i] as number) ** 2
  }
  return Math.sqrt(error / size)
}
