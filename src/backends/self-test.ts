import type { GraphModel, Session, Tensor } from './backend.ts'
import { ATTENTION_SHAPE, buildAddModel, buildAttentionModel } from './probe-models.ts'

type CreateSession = (model: GraphModel) => Promise<Session>

/** Adds two vectors on the provider. Throws when no session can be made or the sum is wrong. */
export async function checkAddition(createSession: CreateSession): Promise<void> {
  const session = await createSession(buildAddModel())
  try {
    const { y } = await session.run({ a: float([4], [1, 2, 3, 4]), b: float([4], [10, 20, 30, 40]) })
    if (String(y?.data) !== '11,22,33,44') throw new Error('the provider computed a wrong sum')
  } finally {
    await session.dispose()
  }
}

/**
 * Whether one buffer may be the `past` feed and the `present` target of attention at once. onnxruntime does not
 * document this, so it is tried: three tokens, then two more, in place and with separate buffers, must give equal bits.
 * Any failure means false, and callers copy.
 */
export async function checkInPlace(createSession: CreateSession): Promise<boolean> {
  let session: Session | undefined
  try {
    session = await createSession(buildAttentionModel())
    const separate = await attendTwice(session, false)
    const shared = await attendTwice(session, true)
    return separate.length === shared.length && separate.every((value, i) => Object.is(value, shared[i]))
  } catch {
    return false
  } finally {
    await session?.dispose()
  }
}

/** Attends to 3 tokens, then to 2 more; returns both outputs and the valid part of the cache. */
async function attendTwice(session: Session, inPlace: boolean): Promise<number[]> {
  const { queryHeads, kvHeads, headSize, capacity } = ATTENTION_SHAPE
  const emptyCache = () => float([1, kvHeads, capacity, headSize], new Float32Array(kvHeads * capacity * headSize))
  let cache = { key: emptyCache(), value: emptyCache() }
  const seen: number[] = []
  for (const { tokens, total } of [{ tokens: 3, total: 3 }, { tokens: 2, total: 5 }]) {
    const next = inPlace ? cache : { key: emptyCache(), value: emptyCache() }
    const { output } = await session.run(
      {
        query: wave(tokens, queryHeads * headSize, total),
        key: wave(tokens, kvHeads * headSize, total + 0.3),
        value: wave(tokens, kvHeads * headSize, total + 0.7),
        past_key: cache.key,
        past_value: cache.value,
        seqlens_k: { type: 'int32', dims: [1], data: Int32Array.of(total - 1) },
        total_sequence_length: { type: 'int32', dims: [], data: Int32Array.of(total) },
      },
      { present_key: next.key, present_value: next.value },
    )
    seen.push(...(output?.data as Float32Array))
    cache = next
  }
  for (const tensor of [cache.key, cache.value]) {
    for (let head = 0; head < kvHeads; head++) {
      const start = head * capacity * headSize
      const written = (tensor.data as Float32Array).subarray(start, start + 5 * headSize)
      if (written.includes(0)) throw new Error('the provider left rows of the present cache unwritten')
      seen.push(...written)
    }
  }
  return seen
}

function wave(tokens: number, width: number, phase: number): Tensor {
  return float([1, tokens, width], Float32Array.from({ length: tokens * width }, (_, i) => Math.sin(i * 0.37 + phase)))
}

function float(dims: readonly number[], values: ArrayLike<number>): Tensor {
  return { type: 'float32', dims, data: Float32Array.from(values) }
}
