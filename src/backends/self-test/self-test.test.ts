import { describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import type { Session, Tensor } from '../backend.ts'
import { buildAddModel } from '../probe-models.ts'
import { cachedAttentionCases } from './attention-cases.ts'
import { checkAddition } from './check-addition.ts'
import { judgeSelfTest } from './judge-self-test.ts'
import { runHalfSelfTest, runSelfTest } from './run-self-test.ts'

const cpu = await cpuBackend()

type Results = Record<string, Tensor>

/** The cpu backend's sessions with a fault: `change` may change what a run of a model gives. */
function withFault(change: (results: Results, model: BuiltGraph) => void) {
  return async (model: BuiltGraph): Promise<Session> => {
    const session = await cpu.createSession(model)
    const run: Session['run'] = async (feeds) => {
      const results = await session.run(feeds)
      change(results, model)
      return results
    }
    return { ...session, run }
  }
}

/** Puts one number of each result of cases with the named operator a little off, or makes it no number. */
const disturb = (opType: string, change: (value: number) => number) =>
  withFault((results, { bytes }) => {
    if (!Buffer.from(bytes).includes(opType)) return
    for (const { data } of Object.values(results)) data[data.length >> 1] = change(data[data.length >> 1] as number)
  })

describe('the self-test of operators', () => {
  it('is passed by the cpu, whose products of floats are right to rounding', async () => {
    const results = await runSelfTest((model) => cpu.createSession(model))
    const { selfTest, attention } = judgeSelfTest('cpu', results)
    expect(attention).toBe('fused')
    expect(selfTest).toMatchObject({ ok: true })
    const { 'product-8-bit': eight, 'product-4-bit': four, ...exact } = selfTest.maxError
    expect(Math.max(...Object.values(exact))).toBeLessThan(1e-5)
    expect(Math.max(eight, four)).toBeLessThan(0.01)
  })

  it.each([
    'Gemm',
    'MatMulNBits',
    'SimplifiedLayerNormalization',
    'Conv',
    'DepthToSpace',
    'RotaryEmbedding',
    'Gather',
    'Greater',
    'Shape',
  ])('refuses a device whose %s is wrong in one place', async (opType) => {
    const results = await runSelfTest(disturb(opType, (value) => value + 0.5))
    expect(() => judgeSelfTest('webgpu', results)).toThrow(
      new RegExp(`does not compute right here: ${opType}(, Cast)? of \\[`),
    )
  })

  it('names all operators that a product of whole rows is made of', async () => {
    const results = await runSelfTest(disturb('QGemm', (value) => value + 1000))
    const operators = 'Abs, ReduceMax, Add, Div, QuantizeLinear, QGemm, Mul'
    expect(results['product-8-bit']?.reason).toContain(`${operators} of [1,70] [33,70] [33] is off by`)
  })

  it.each([
    ['MultiHeadAttention', 'attention'],
    ['GroupQueryAttention', 'cached-attention'],
  ] as const)('has attention written out where %s is wrong', async (opType, family) => {
    const results = await runSelfTest(disturb(opType, () => NaN))
    const { selfTest, attention } = judgeSelfTest('webgpu', results)
    expect(attention).toBe('explicit')
    expect(selfTest).toMatchObject({ ok: false, reason: expect.stringContaining(`${opType} of [`) })
    expect(selfTest.maxError[family]).toBe(Infinity)
  })

  it('opens no more of an attention that is wrong, and all of the other', async () => {
    const opened: string[] = []
    const disturbed = disturb('MultiHeadAttention', () => NaN)
    await runSelfTest((model) => {
      opened.push(/MultiHeadAttention|GroupQueryAttention/.exec(Buffer.from(model.bytes).toString('latin1'))?.[0] ?? '')
      return disturbed(model)
    })
    const count = (name: string) => opened.filter((operator) => operator === name).length
    expect([count('MultiHeadAttention'), count('GroupQueryAttention')]).toEqual([1, cachedAttentionCases().length])
  })

  it('ends where an operator is wrong that nothing replaces', async () => {
    const results = await runSelfTest(disturb('Softmax', (value) => value + 0.5))
    expect(Object.keys(results).at(-1)).toBe('softmax')
    expect(results.attention).toBeUndefined()
  })

  it('has attention written out where the device has no operator for it', async () => {
    const results = await runSelfTest(
      (model) => cpu.createSession(model),
      () => Promise.reject(new Error('no kernel')),
    )
    expect(judgeSelfTest('cuda', results)).toMatchObject({ attention: 'explicit', selfTest: { ok: false } })
  })

  it('says which operator does not run, and why', async () => {
    const results = await runSelfTest((model) =>
      Buffer.from(model.bytes).includes('Tanh') ? Promise.reject(new Error('no kernel')) : cpu.createSession(model),
    )
    expect(results.elementwise).toMatchObject({ ok: false, reason: 'Tanh of [40,96] does not run: no kernel' })
  })
})

describe('the self-test in half precision', () => {
  it('has graphs computed in it where all that they take is right', async () => {
    const half = await runHalfSelfTest((model) => cpu.createSession(model))
    const whole = await runSelfTest((model) => cpu.createSession(model))
    const { precision, attention, selfTest } = judgeSelfTest('cuda', whole, half)
    expect({ precision, attention }).toEqual({ precision: 'float16', attention: 'fused' })
    expect(selfTest.maxError.product).toBeGreaterThan(1e-5)
    expect(selfTest.maxError.product).toBeLessThan(2e-3)
  })

  it('leaves a device in float32 whose products are wrong in it, and tries no more', async () => {
    const half = await runHalfSelfTest(disturb('Gemm', (value) => value + 0.5))
    expect(Object.keys(half)).toEqual(['product'])
    const whole = await runSelfTest((model) => cpu.createSession(model))
    expect(judgeSelfTest('webgpu', whole, half)).toMatchObject({ precision: 'float32', selfTest: { ok: true } })
  })

  it('takes attention from it alone, as CUDA has some in half precision only', async () => {
    const none = () => Promise.reject(new Error('no kernel'))
    const whole = await runSelfTest((model) => cpu.createSession(model), none)
    const half = await runHalfSelfTest((model) => cpu.createSession(model))
    expect(judgeSelfTest('cuda', whole, half)).toMatchObject({ precision: 'float16', attention: 'fused' })
    const without = await runHalfSelfTest((model) => cpu.createSession(model), none)
    expect(judgeSelfTest('cuda', whole, without)).toMatchObject({ precision: 'float16', attention: 'explicit' })
  })
})

describe('the addition check', () => {
  it('notices a provider that computes something else', async () => {
    const y: Tensor = { type: 'float32', dims: [4], data: new Float32Array(4) }
    const session: Session = {
      inputNames: [],
      outputNames: [],
      run: async () => ({ y }),
      free() {},
      dispose: async () => {},
    }
    await expect(checkAddition(async () => session)).rejects.toThrow('wrong sum')
  })

  it('notices a device that does not find a result again which stayed on it', async () => {
    const real = await cpu.createSession(buildAddModel())
    const kept = { y: { type: 'float32', dims: [4], location: 'device' } } as const
    const zeros: Tensor = { type: 'float32', dims: [4], data: new Float32Array(4) }
    const run: Session['run'] = ({ a, b }) => real.run({ a: 'data' in a! ? a : zeros, b: b! })
    const session: Session = { inputNames: [], outputNames: [], run, free() {}, dispose: () => real.dispose() }
    let freed: unknown
    const keeping = {
      inputNames: [],
      outputNames: [],
      run: async () => kept,
      free: async (results: unknown) => void (freed = results),
      dispose: async () => {},
    }
    await expect(
      checkAddition(
        async () => session,
        async () => keeping,
      ),
    ).rejects.toThrow('stayed on it')
    expect(freed).toBe(kept)
  })
})
