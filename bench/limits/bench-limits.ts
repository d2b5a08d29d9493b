import { createCpuBackend } from '../../src/backends/index.ts'
import { measureBandwidth } from '../../src/cli/bench/measure-bandwidth.ts'
import { measurePeak } from '../../src/cli/bench/measure-peak.ts'
import { openDecider } from '../../src/decide/index.ts'
import { openFolder, parseLanguageModelConfig } from '../../src/models/index.ts'
import { parseDecisionRequest } from '../../src/schemas/index.ts'
import { countPrefillWork, languageModelSizes } from '../decide/count-work.ts'
import { recordPasses } from '../decide/record-passes.ts'
import { makeRequest } from '../decide/request.ts'
import { isPrefill, traceCalls } from '../decide/trace-call.ts'
import { FAMILIES } from '../images/step-model.ts'
import { timeAlternating } from '../measure/time-alternating.ts'
import { type Precision, provideRandomModel } from '../models/random-checkpoint.ts'
import { provideQwen3 } from '../models/random-qwen3.ts'
import type { Bench, BenchOptions } from '../report/bench.ts'
import { renderLimits } from './render-limits.ts'
import type { Job, LimitsResults } from './results.ts'

const STATE_TOKENS = 2048
const SIDE = 512

/** What the machine can do at most, and which share of it each job reaches. */
export const limitsBench: Bench<LimitsResults> = {
  async measure(options) {
    const backend = await createCpuBackend({ threads: options.threads })
    const peak = await measurePeak(backend, 2 * options.runs)
    const bandwidth = await measureBandwidth(backend, options.runs)
    await backend.dispose()
    const jobs: Job[] = []
    for (const bits of [8, 4] as const) jobs.push(await measurePrefill(bits, options))
    for (const precision of ['float32', 'int8'] as const) jobs.push(...(await measureSteps(precision, options)))
    return { peak, bandwidth, jobs }
  },
  render: (results) => ({ markdown: renderLimits(results) }),
}

async function measurePrefill(bits: 4 | 8, { layers, threads, runs }: BenchOptions): Promise<Job> {
  const folder = await provideQwen3({ layers, bits })
  const { recording, backend } = recordPasses(await createCpuBackend({ threads }))
  const decider = await openDecider({ backend, files: openFolder(folder) })
  const request = await makeRequest(STATE_TOKENS, async (body) => decider.countTokens(parseDecisionRequest(body)))
  const { prefill, passes } = await traceCalls(decider, recording, parseDecisionRequest(request), runs)
  const config = parseLanguageModelConfig(JSON.parse((await openFolder(folder).readText('config.json')) ?? ''), folder)
  const states = passes.filter(isPrefill)
  const work = countPrefillWork(languageModelSizes(config), states)
  await backend.dispose()
  const bytes = ((work.linear_gflop / 2 / work.tokens) * bits) / 8
  return {
    name: `decide, ${STATE_TOKENS} tokens of state, Qwen3-0.6B shapes, ${layers} layers, int${bits}`,
    time: prefill,
    gflop: work.linear_gflop + work.attention_gflop,
    gigabytes: bytes * states.length,
    limit: 'int8_blocks',
  }
}

async function measureSteps(precision: Precision, { threads, runs }: BenchOptions): Promise<Job[]> {
  const backend = await createCpuBackend({ threads })
  const jobs: Job[] = []
  for (const family of FAMILIES) {
    const model = await family.open(backend, await provideRandomModel(family.model, precision), SIDE)
    const { step } = await timeAlternating({ step: () => model.predict() }, runs)
    const sizes = Object.values(family.model.shapes).map((shape) => shape.reduce((size, dim) => size * dim, 1))
    const values = sizes.reduce((sum, size) => sum + size, 0)
    jobs.push({
      name: `one step of ${family.model.name} at ${SIDE} × ${SIDE}, ${precision}`,
      time: step,
      gflop: family.countWork(SIDE),
      gigabytes: (values * (precision === 'float32' ? 4 : 1)) / 1e9,
      limit: precision === 'float32' ? 'float32' : 'int8_blocks',
    })
    await model.dispose()
  }
  await backend.dispose()
  return jobs
}
