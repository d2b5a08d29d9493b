import { resolve } from 'node:path'
// A process of its own on one backend, see measure/child.ts: run-job.js decide|step|picture|copies BACKEND FOLDER THREADS
import { createInterface } from 'node:readline'
import sharp from 'sharp'
import { type BackendName, createBackend } from '../../src/backends/index.ts'
import { createEngine } from '../../src/engine/index.ts'
import { GraphBuilder } from '../../src/graph/index.ts'
import { add } from '../../src/onnx/ops/elementwise.ts'
import type { DecisionRequestInput } from '../../src/schemas/index.ts'
import { openFlux2Step } from '../images/step-model.ts'

/** What a job says when it has run once. */
export interface Ready {
  /** From the start of opening to the first result. */
  readonly startup_ms: number
  readonly resident_mib: number
  /** Probabilities, values of a prediction or of a sum, or levels of a picture. */
  readonly values: readonly number[]
}

export type JobKind = 'decide' | 'step' | 'picture' | 'copies'

const SIDE = 256
const DRAWING = { prompt: 'a red apple on a white background', size: '256x256', seed: 0 }
/** Of 32-bit floats, 64 MiB: the cache of 585 tokens of Qwen3-0.6B in half precision. */
const COPIED = 16 * 2 ** 20
const STATE =
  'The printer on the second floor is out of order again, and the invoice for last month was paid twice. '.repeat(12)
const QUESTIONS: DecisionRequestInput['questions'] = {
  urgent: { type: 'noul', instructions: 'Does this need an answer today?' },
  team: {
    type: 'choice',
    instructions: 'Who should handle it?',
    criteria: { billing: 'Payments', tech: 'Faults', sales: 'Offers' },
  },
  anger: { type: 'score', instructions: 'How angry is the writer?', criteria: ['calm', 'annoyed', 'furious'] },
}

const [kind, name, folder, threads] = process.argv.slice(2) as [JobKind, BackendName, string, string]
const options = { backend: name, threads: Number(threads) }
const started = performance.now()
const job = await { decide: openDecisions, step: openStep, picture: openPictures, copies: openCopies }[kind]()
const values = await job()
const ready: Ready = {
  startup_ms: performance.now() - started,
  resident_mib: process.memoryUsage.rss() / 2 ** 20,
  values,
}
console.log(JSON.stringify(ready))
for await (const _ of createInterface(process.stdin)) {
  await job()
  console.log('done')
}
process.exit(0)

async function openDecisions(): Promise<() => Promise<number[]>> {
  const engine = await createEngine({ ...options, models: { 'decide-latest': resolve(folder) } })
  return async () => {
    const { answers } = await engine.decide({ state: STATE, questions: QUESTIONS })
    return Object.values(answers).flatMap((answer) => {
      if (answer.type === 'noul') return [answer.noul]
      return Object.values(answer.probabilities)
    })
  }
}

async function openStep(): Promise<() => Promise<number[]>> {
  const { backend } = await createBackend(options)
  const model = await openFlux2Step(backend, folder, SIDE)
  return async () => [...(await model.predict())]
}

async function openPictures(): Promise<() => Promise<number[]>> {
  const engine = await createEngine({ ...options, models: { 'alpha-image-turbo': resolve(folder) } })
  return async () => {
    const {
      data: [picture],
    } = await engine.generateImage(DRAWING)
    return [...(await sharp(Buffer.from(picture!.b64_json, 'base64')).raw().toBuffer())]
  }
}

/** A sum so cheap that a run is little but the way of its operand to a device and of its result back. */
async function openCopies(): Promise<() => Promise<number[]>> {
  const { backend } = await createBackend(options)
  const g = new GraphBuilder('copies')
  g.output('y', add(g, g.input('x', 'float32', ['n']), g.scalar(1, 'float32')), 'float32', ['n'])
  const session = await backend.createSession(g.build())
  const x = { type: 'float32', dims: [COPIED], data: new Float32Array(COPIED).fill(0.5) } as const
  return async () => {
    const results = await session.run({ x })
    const first = [...(results['y']!.data as Float32Array).subarray(0, 4)]
    session.free(results)
    return first
  }
}
