import type { CallOptions } from '../../engine/index.ts'
import { AbortedError } from '../../errors/index.ts'
import type { WorkingEngine } from '../index.ts'

interface FakeCall {
  readonly kind: string
  readonly request: unknown
  readonly options: object
}

/** An engine that answers evenly at once, and can be held, or made to fail. */
export function createFakeEngine(names: readonly string[] = ['decide-latest', 'alpha-image-turbo', 'beta-klein-4b']) {
  let gate = Promise.resolve()
  let open = () => {}

  async function work(kind: string, request: unknown, options: CallOptions = {}): Promise<void> {
    const { signal, onProgress, onTimings, ...rest } = options
    fake.calls.push({ kind, request, options: rest })
    onProgress?.({ stage: 'reading', done: 1, total: 1 })
    fake.running++
    try {
      await Promise.race([gate, aborted(signal)])
    } finally {
      fake.running--
    }
    onTimings?.({ model: 'fake', queueMs: 0, computeMs: 5 })
    if (fake.failure !== undefined) throw fake.failure
  }

  const draw = async (kind: string, request: unknown, options?: CallOptions) => {
    await work(kind, request, options)
    return { data: [{ b64_json: 'AAAA' }] as const }
  }

  const fake = {
    calls: [] as FakeCall[],
    running: 0,
    /** Whether its model is open, which answering does not change. */
    isOpen: false,
    failure: undefined as unknown,
    hold: () => {
      gate = new Promise((resolve) => {
        open = resolve
      })
    },
    release: () => open(),
    engine: {
      async decide(request: unknown, options?: CallOptions) {
        await work('decide', request, options)
        return { model: 'fake', answers: { urgent: { type: 'noul', noul: 0.5 } }, usage: { input_tokens: 1 } }
      },
      async countTokens(request: { readonly state: string }, options?: CallOptions) {
        await work('countTokens', request, options)
        return { input_tokens: request.state.length, state: 0, questions: {} }
      },
      generateImage: (request: unknown, options?: CallOptions) => draw('generateImage', request, options),
      editImage: (request: unknown, options?: CallOptions) => draw('editImage', request, options),
      models: async () =>
        names.map((name) => ({
          name,
          id: 'fake',
          kind: name.includes('decide') ? 'decisions' : 'images',
          available: true,
        })),
      activity: () => {
        const model = { id: 'fake', open: 1, opened: 1, openedMs: 5, failed: 0 }
        return { waiting: 0, running: 0, models: fake.isOpen ? [model] : [], missing: [] }
      },
    } as unknown as WorkingEngine,
  }
  return fake
}

export type FakeEngine = ReturnType<typeof createFakeEngine>

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new AbortedError(undefined, { cause: signal.reason })), {
      once: true,
    })
  })
}
