import { createCpuBackend } from '../../src/backends/index.ts'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'
import { recordPasses } from '../decide/record-passes.ts'
import type { Child } from '../measure/child.ts'
import { timeAlternating } from '../measure/time-alternating.ts'
import { provideRandomModel, type Precision } from '../models/random-checkpoint.ts'
import { openStableDiffusion } from './stable-diffusion-side.ts'
import { type Family, type StepModel, TEXT_TOKENS } from './step-model.ts'
import { openTorch } from './torch-side.ts'

const PRECISIONS: readonly Precision[] = ['float32', 'int8', 'int8_rows', 'int4']

/** Another runtime with weights of one type. */
export type Peer = 'torch_float32' | 'torch_bfloat16' | 'stable_diffusion_f32' | 'stable_diffusion_q8_0'

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

async function openPeers({ kind, model }: Family, side: number, threads: number) {
  const step = { kind, folder: await provideRandomModel(model, 'float32'), side, textTokens: TEXT_TOKENS, threads }
  const peers: Readonly<Record<Peer, () => Promise<Child | undefined>>> = {
    torch_float32: () => openTorch({ ...step, precision: 'float32' }),
    torch_bfloat16: () => openTorch({ ...step, precision: 'bfloat16' }),
    stable_diffusion_f32: () => openStableDiffusion({ ...step, precision: 'f32' }),
    stable_diffusion_q8_0: () => openStableDiffusion({ ...step, precision: 'q8_0' }),
  }
  const ways: Record<string, () => Promise<void>> = {}
  const opened: Child[] = []
  for (const [peer, open] of Object.entries(peers)) {
    const child = await open()
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
