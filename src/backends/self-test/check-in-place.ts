import { DATA_TYPES, encodeModel, type DataType, type Dimension } from '../../onnx/onnx-model.ts'
import type { CreateSession, GraphModel, Precision, Session, Tensor } from '../backend.ts'
import { float } from './operator-case.ts'

const [QUERY_HEADS, KV_HEADS, SIZE, CAPACITY] = [4, 2, 8, 8]

/**
 * Whether one buffer may be the `past` feed and the `present` target of attention at once. onnxruntime does not
 * document this, so it is tried: three tokens, then two more, in place and with separate buffers, must give equal bits.
 * Any failure means false, and callers copy.
 */
export async function checkInPlace(createSession: CreateSession, precision: Precision = 'float32'): Promise<boolean> {
  let session: Session | undefined
  try {
    session = await createSession(buildAttentionModel(precision))
    const separate = await attendTwice(session, precision, false)
    const shared = await attendTwice(session, precision, true)
    return separate.length === shared.length && separate.every((value, i) => Object.is(value, shared[i]))
  } catch {
    return false
  } finally {
    await session?.dispose()
  }
}

/** Attends to 3 tokens, then to 2 more; returns both outputs and the valid part of the cache. */
async function attendTwice(session: Session, precision: Precision, inPlace: boolean): Promise<number[]> {
  const length = KV_HEADS * CAPACITY * SIZE
  const emptyCache = (): Tensor => ({
    type: precision, dims: [1, KV_HEADS, CAPACITY, SIZE],
    data: precision === 'float16' ? new Uint16Array(length) : new Float32Array(length),
  })
  let cache = { key: emptyCache(), value: emptyCache() }
  const seen: number[] = []
  for (const { tokens, total } of [{ tokens: 3, total: 3 }, { tokens: 2, total: 5 }]) {
    const next = inPlace ? cache : { key: emptyCache(), value: emptyCache() }
    const { output } = await session.run(
      {
        query: wave(tokens, QUERY_HEADS * SIZE, total),
        key: wave(tokens, KV_HEADS * SIZE, total + 0.3),
        value: wave(tokens, KV_HEADS * SIZE, total + 0.7),
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
    for (let head = 0; head < KV_HEADS; head++) {
      const start = head * CAPACITY * SIZE
      const written = (tensor.data as Float32Array | Uint16Array).subarray(start, start + 5 * SIZE)
      if (written.includes(0)) throw new Error('the provider left rows of the present cache unwritten')
      seen.push(...written)
    }
  }
  return seen
}

function wave(tokens: number, width: number, phase: number): Tensor {
  return float([1, tokens, width], Float32Array.from({ length: tokens * width }, (_, i) => Math.sin(i * 0.37 + phase)))
}

/** One GroupQueryAttention whose KV cache is a buffer of fixed capacity, as the decoder graphs use it. */
function buildAttentionModel(precision: Precision): GraphModel {
  const describe = (type: DataType, named: Record<string, readonly Dimension[]>) =>
    Object.entries(named).map(([name, dims]) => ({ name, type, dims }))
  const cache = [1, KV_HEADS, CAPACITY, SIZE]
  const [query, keyOrValue] = [QUERY_HEADS, KV_HEADS].map((heads) => [1, 'tokens', heads * SIZE])
  const inputs = [
    ...describe('float32', { query: query!, key: keyOrValue!, value: keyOrValue! }),
    ...describe(precision, { past_key: cache, past_value: cache }),
    ...describe('int32', { seqlens_k: [1], total_sequence_length: [] }),
  ]
  const outputs = [
    ...describe('float32', { output: query! }), ...describe(precision, { present_key: cache, present_value: cache }),
  ]
  const cast = (from: string, to: string, type: DataType) => {
    const attributes = { to: { int: DATA_TYPES[type] } }
    return { name: to, opType: 'Cast', domain: '', inputs: [from], outputs: [to], attributes }
  }
  const rows = ['query', 'key', 'value']
  const name = 'GroupQueryAttention'
  const node = {
    name, opType: name, domain: 'com.microsoft',
    attributes: { num_heads: { int: QUERY_HEADS }, kv_num_heads: { int: KV_HEADS } },
    inputs: [...rows.map((row) => `cast_${row}`), ...inputs.slice(rows.length).map((input) => input.name)],
    outputs: ['attended', 'present_key', 'present_value'],
  }
  const nodes = [
    ...rows.map((row) => cast(row, `cast_${row}`, precision)), node, cast('attended', 'output', 'float32'),
  ]
  const opsets = { '': 21, 'com.microsoft': 1 }
  return { bytes: encodeModel({ name, opsets, inputs, outputs, initializers: [], nodes }) }
}
