import type { Engine, ImageCallOptions } from '../../engine/index.ts'
import { AbortedError } from '../../errors/index.ts'
import {
  type DecisionResponse,
  type ImageResponse,
  type Warning,
  parseDecisionRequest,
  parseImageEditRequest,
  parseImageGenerationRequest,
  type Question,
} from '../../schemas/index.ts'
import type { ServerOptions } from '../server-options.ts'

export interface StubEngine {
  readonly engine: ServerOptions['engine']
  /** `client` of every call that is answered. */
  readonly clients: (string | undefined)[]
  /** Requests for pictures, with their seed and what they follow. */
  readonly drawn: object[]
  readonly counts: { decided: number; aborted: number; running: number }
  /** Calls wait until this resolves; those for pictures once they have told of their first step. */
  gate: Promise<void>
  /** Closes the gate. @returns what opens it */
  hold(): () => void
  /** Thrown instead of an answer: at once, or where calls wait when they do so no more. */
  failure: unknown
  /** Models that it is to keep open and has not. */
  missing: string[]
  /** What its pictures come with. */
  warnings: Warning[]
}

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10]

/** The first bytes of a PNG, which are all that anyone looks at. */
export function pngHeader(width: number, height: number): Buffer {
  const chunk = Buffer.alloc(25)
  chunk.writeUInt32BE(13, 0)
  chunk.write('IHDR', 4, 'latin1')
  chunk.writeUInt32BE(width, 8)
  chunk.writeUInt32BE(height, 12)
  return Buffer.concat([Buffer.from(SIGNATURE), chunk])
}

/**
 * An engine that answers evenly at once and counts one token for every character of the state. Its pictures are
 * headers. It can be held, or made to fail.
 */
export function createStubEngine(): StubEngine {
  const counts = { decided: 0, aborted: 0, running: 0 }

  async function work({ client, signal, onTimings }: ImageCallOptions = {}): Promise<void> {
    stub.clients.push(client)
    counts.running++
    try {
      await Promise.race([stub.gate, aborted(signal)])
    } catch (error) {
      counts.aborted++
      throw error
    } finally {
      counts.running--
    }
    onTimings?.({ model: '/models/stub', queueMs: 20, computeMs: 300 })
    if (stub.failure !== undefined) throw stub.failure
  }

  async function draw(n: number, width: number, height: number, call?: ImageCallOptions): Promise<ImageResponse> {
    if (stub.failure !== undefined) throw stub.failure
    call?.onProgress?.({ stage: 'denoising', done: 0, total: 1 })
    const preview = pngHeader(16, 16).toString('base64')
    for (const step of [1, 2]) call?.onPreview?.({ picture: 0, step, steps: 3, b64_json: preview })
    await work(call)
    call?.onProgress?.({ stage: 'denoising', done: 1, total: 1 })
    const image = { b64_json: pngHeader(width, height).toString('base64') }
    return { data: [image, ...Array.from({ length: n - 1 }, () => image)], warnings: stub.warnings }
  }

  const stub: StubEngine = {
    clients: [],
    drawn: [],
    counts,
    gate: Promise.resolve(),
    hold() {
      let open = () => {}
      stub.gate = new Promise((resolve) => {
        open = resolve
      })
      return open
    },
    failure: undefined,
    missing: [],
    warnings: [],
    engine: {
      async decide(body, call) {
        const request = parseDecisionRequest(body)
        await work(call)
        counts.decided++
        const response: DecisionResponse = {
          model: 'stub',
          answers: Object.fromEntries(
            Object.entries(request.questions).map(([name, question]) => [name, answerEvenly(question)]),
          ),
          usage: { input_tokens: JSON.stringify(request.state).length, output_tokens: 0 },
          latency_ms: 0,
        }
        return response as Awaited<ReturnType<Engine['decide']>> as never
      },
      async countTokens(body) {
        const tokens = JSON.stringify(parseDecisionRequest(body).state).length
        return { input_tokens: tokens, state: tokens, questions: {} }
      },
      async generateImage(body, call) {
        const { seed, ...request } = parseImageGenerationRequest(body)
        stub.drawn.push({ ...request, seed, ...controlOf(call) })
        const [width, height] = request.size.split('x').map(Number)
        return draw(request.n, width!, height!, call)
      },
      async editImage(body, { seed, ...call } = {}) {
        const request = parseImageEditRequest(body)
        stub.drawn.push({ ...request, ...toText(request), seed, ...controlOf(call) })
        return draw(request.n, 96, 64, call)
      },
      activity: () => ({
        waiting: 3,
        running: 4,
        models: [{ id: '/models/stub', open: 1, opened: 2, openedMs: 1500, failed: 5 }],
        missing: stub.missing,
      }),
      models: async () => [
        { name: 'decide-latest', id: 'stub', available: true },
        { name: 'elsewhere', available: false, reason: 'not installed' },
      ],
    },
  }
  return stub
}

function encode(source: unknown) {
  return source instanceof Uint8Array ? Buffer.from(source).toString('base64') : source
}

function controlOf({ control }: ImageCallOptions = {}) {
  return control && { control: { ...control, image: encode(control.image) } }
}

/** Pictures as base64, whether they came as such or as bytes. */
function toText({ image, images, mask }: ReturnType<typeof parseImageEditRequest>) {
  return {
    ...(image !== undefined && { image: encode(image) }),
    ...(images !== undefined && { images: images.map(encode) }),
    ...(mask !== undefined && { mask: encode(mask) }),
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const fail = () => reject(new AbortedError(undefined, { cause: signal?.reason }))
    if (signal?.aborted) fail()
    else signal?.addEventListener('abort', fail, { once: true })
  })
}

function answerEvenly(question: Question): DecisionResponse['answers'][string] {
  if (question.type === 'noul') return { type: 'noul', noul: 0.5 }
  const names =
    question.type === 'choice' ? Object.keys(question.criteria) : question.criteria.map((_, index) => String(index))
  const probabilities = Object.fromEntries(names.map((name) => [name, 1 / names.length]))
  if (question.type === 'choice') return { type: 'choice', choice: names[0]!, probabilities, confidence: 0 }
  return {
    type: 'score',
    score: (names.length - 1) / 2,
    legend: Object.fromEntries(question.criteria.entries()),
    probabilities,
    confidence: 0,
  }
}
