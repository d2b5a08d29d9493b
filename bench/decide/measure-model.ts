import { readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { createCpuBackend } from '../../src/backends/index.ts'
import type { Summary } from '../../src/cli/bench/statistics.ts'
import { openDecider, type Decider } from '../../src/decide/index.ts'
import { createEngine, type Engine } from '../../src/engine/index.ts'
import { parseBertConfig } from '../../src/models/configs/bert-config.ts'
import { openFolder, parseLanguageModelConfig } from '../../src/models/index.ts'
import { parseDecisionRequest, type DecisionRequestInput } from '../../src/schemas/index.ts'
import { timeAlternating } from '../measure/time-alternating.ts'
import { countPrefillWork, encoderSizes, languageModelSizes, type LayerSizes, type PrefillWork } from './count-work.ts'
import { measureOverhead, type Overhead } from './measure-overhead.ts'
import { recordPasses } from './record-passes.ts'
import { makeRequest, splitRequest } from './request.ts'
import { type CallParts, isPrefill, traceCalls } from './trace-call.ts'

const STATE_TOKENS = 2048
/** Sixteen separate calls take a minute a round on few processors, and their ratio to one call hardly varies. */
const SHARING_RUNS = 3

export interface ModelFigures {
  readonly name: string
  readonly layers: number
  readonly state_tokens: number
  readonly questions: number
  readonly question_tokens: number
  /** All questions in one call, against a call for each. `ratio` is how many times faster one call is. */
  readonly sharing: { readonly together: Summary; readonly separate: Summary; readonly ratio: number }
  readonly overhead: Overhead
  readonly parts: CallParts
  /** Checking the request, and the way to the worker and back. */
  readonly messaging: number
  readonly prefill: PrefillWork & { readonly time: Summary; readonly tokens_per_s: number; readonly gflops: number }
  /** Time of the passes that answer the questions. */
  readonly branch: Summary
}

export interface MeasureOptions {
  readonly folder: string
  readonly threads: number
  readonly runs: number
}

/** Measures one bundle with 16 questions on a state of 2,048 tokens. */
export async function measureModel({ folder, threads, runs }: MeasureOptions): Promise<ModelFigures> {
  const { recording, backend } = recordPasses(await createCpuBackend({ threads }))
  const decider = await openDecider({ backend, files: openFolder(folder) })
  const request = await makeRequest(STATE_TOKENS, async (body) => decider.countTokens(parseDecisionRequest(body)))
  const parsed = parseDecisionRequest(request)
  const { state, input_tokens } = decider.countTokens(parsed)
  const traced = await traceCalls(decider, recording, parsed, runs)
  const sizes = await readSizes(folder)
  const work = countPrefillWork(sizes, traced.passes.filter(isPrefill))
  const seconds = traced.prefill.median / 1000

  await using engine = await createEngine({ backend: 'cpu', threads, models: { 'decide-latest': resolve(folder) } })
  const messaging = await measureMessaging(engine, decider, request)
  // From here on the decider's sessions would only take memory; the graphs and the feeds stay.
  await backend.dispose()
  const recorded = { ...recording, passes: [...traced.passes] }
  const overhead = await measureOverhead(engine, request, recorded, { threads, runs })
  const sharing = await measureSharing(engine, request, Math.min(runs, SHARING_RUNS))
  const asked = Object.keys(request.questions).length
  return {
    name: basename(folder),
    layers: sizes.layers,
    state_tokens: state,
    questions: asked,
    question_tokens: (input_tokens - state) / asked,
    sharing,
    overhead,
    parts: traced.parts,
    messaging,
    prefill: {
      ...work,
      time: traced.prefill,
      tokens_per_s: work.tokens / seconds,
      gflops: (work.linear_gflop + work.attention_gflop) / seconds,
    },
    branch: traced.branch,
  }
}

async function readSizes(folder: string): Promise<LayerSizes> {
  const file = join(folder, 'config.json')
  const json = JSON.parse(await readFile(file, 'utf8')) as { model_type?: unknown }
  if (json.model_type === 'bert') return encoderSizes(parseBertConfig(json, file))
  return languageModelSizes(parseLanguageModelConfig(json, file))
}

/** Counting tokens takes the same way as deciding, without the computing that would drown the difference. */
async function measureMessaging(engine: Engine, decider: Decider, request: DecisionRequestInput): Promise<number> {
  const small = { ...request, state: '' }
  const parsed = parseDecisionRequest(small)
  const times = await timeAlternating(
    {
      engine: () => engine.countTokens(small),
      inline: async () => decider.countTokens(parsed),
    },
    20,
  )
  return times.engine.median - times.inline.median
}

async function measureSharing(
  engine: Engine,
  request: DecisionRequestInput,
  runs: number,
): Promise<ModelFigures['sharing']> {
  const alone = splitRequest(request)
  const times = await timeAlternating(
    {
      together: () => engine.decide(request),
      separate: async () => {
        for (const one of alone) await engine.decide(one)
      },
    },
    runs,
  )
  return { ...times, ratio: times.separate.median / times.together.median }
}
