import { createCpuBackend } from '../../src/backends/index.ts'
import { recordPasses } from '../decide/record-passes.ts'
import type { Child } from '../measure/child.ts'
import { type Summary, summarize } from '../../src/cli/bench/statistics.ts'
import { timeAlternating } from '../measure/time-alternating.ts'
import { provideRandomModel, type Precision } from '../models/random-checkpoint.ts'
import { type Family, type StepModel, TEXT_TOKENS } from './step-model.ts'
import { openTorch } from './torch-side.ts'

const PRECISIONS: readonly Precision[] = ['float32', 'int8', 'int4']

export interface StepFigures {
  readonly kind: Family['kind']
  readonly side: number
  readonly gflop: number
  /** One step of each precision here, and of PyTorch where there is one. */
  readonly times: Readonly<Partial<Record<Precision | 'torch_float32' | 'torch_bfloat16', Summary>>>
  /** Share of a step that is not inside onnxruntime. */
  readonly outside: Readonly<Record<Precision, Summary>>
  /** Distance of the prediction from that with float32 weights, relative in the root mean square. */
  readonly deviation: Readonly<Record<Precision, number>>
}

export async function measureSteps(
  family: Family, side: number, { threads, runs }: { readonly threads: number; readonly runs: number },
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
  const torch = await openTorches(family, side, threads)
  const ways = { ...Object.fromEntries(PRECISIONS.map((precision) => [precision, step(precision)])), ...torch.ways }
  const times = await timeAlternating(ways, runs)
  const predict = async (precision: Precision) => await models.get(precision)?.predict() as Float32Array
  const exact = await predict('float32')
  const deviation: Partial<Record<Precision, number>> = {}
  for (const precision of PRECISIONS) deviation[precision] = distance(await predict(precision), exact)
  await torch.close()
  await backend.dispose()
  const shares = [...outside].map(([precision, values]) => [precision, summarize(values)])
  return {
    kind: family.kind, side, gflop: family.countWork(side), times,
    outside: Object.fromEntries(shares) as StepFigures['outside'],
    deviation: deviation as StepFigures['deviation'],
  }
}

async function openTorches({ kind, model }: Family, side: number, threads: number) {
  const folder = await provideRandomModel(model, 'float32')
  const ways: Record<string, () => Promise<void>> = {}
  const opened: Child[] = []
  for (const precision of ['float32', 'bfloat16'] as const) {
    const torch = await openTorch({ kind, folder, side, textTokens: TEXT_TOKENS, threads, precision })
    if (torch === undefined) continue
    opened.push(torch)
    ways[`torch_${precision}`] = () => torch.step()
  }
  return { ways, close: () => Promise.all(opened.map((torch) => torch.close())) }
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
