import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ModelFormatError } from '../../errors/index.ts'
import { readGguf } from './gguf-file.ts'
import { openGguf } from './open-gguf.ts'
import { folderOf, readFixture } from './test-support/fixture.ts'

const uint32 = (value: number) => new Uint8Array(Uint32Array.of(value).buffer)
const uint64 = (value: number | bigint) => new Uint8Array(BigUint64Array.of(BigInt(value)).buffer)
const text = (value: string) => Buffer.concat([uint64(value.length), Buffer.from(value)])
const STRING = 8
const ARRAY = 9
const F32 = 0
const UINT32 = 4

/** A file of version 3 with these counts, and this behind them. */
function file(tensors: number | bigint, keys: number | bigint, ...rest: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat([Buffer.from('GGUF'), uint32(3), uint64(tensors), uint64(keys), ...rest]))
}

function tensor(name: string, dims: readonly (number | bigint)[], type: number, offset: number | bigint): Uint8Array {
  return Buffer.concat([text(name), uint32(dims.length), ...dims.map(uint64), uint32(type), uint64(offset)])
}

/** Up to where the tensors begin, and 64 bytes of these. */
function withData(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(Buffer.concat([bytes, new Uint8Array(((32 - (bytes.length % 32)) % 32) + 64)]))
}

const read = (bytes: Uint8Array) => readGguf(folderOf({ 'm.gguf': bytes }), 'm.gguf')

const HUGE = 2n ** 62n
const many = Buffer.concat(Array.from({ length: 100 }, (_, i) => tensor(`t${i}`, [1], F32, 0)))

describe('a file that lies is refused within a second', () => {
  it.each<[string, Uint8Array, string | RegExp]>([
    ['an empty one', new Uint8Array(0), 'ends within it, at byte 0'],
    ['another format', new Uint8Array(100), 'does not begin as one'],
    ['the first version', new Uint8Array([...Buffer.from('GGUF'), ...uint32(1), ...uint64(0)]), 'version 1'],
    ['big-endian bytes', new Uint8Array([...Buffer.from('GGUF'), 0, 0, 0, 3, ...uint64(0)]), 'big-endian'],
    ['a billion tensors', file(1e9, 0), 'a number of tensors of at most'],
    ['2^62 keys', file(0, HUGE), 'a number of metadata keys of at most'],
    ['tensors that are not there', file(60_000, 0), 'ends within it'],
    ['a text of gigabytes', file(0, 1, text('k'), uint32(STRING), uint64(2 ** 40)), 'a length of k of at most'],
    [
      'a list of 2^62 numbers',
      file(0, 1, text('k'), uint32(ARRAY), uint32(4), uint64(HUGE)),
      'a length of k of at most',
    ],
    [
      'a list of texts that are not there',
      file(0, 1, text('k'), uint32(ARRAY), uint32(STRING), uint64(4e6)),
      'ends within it',
    ],
    ['a list of lists', file(0, 1, text('k'), uint32(ARRAY), uint32(ARRAY), uint64(1)), 'value type 9'],
    ['an unknown value', file(0, 1, text('k'), uint32(77)), 'value type 77'],
    [
      'a key twice',
      file(0, 2, text('k'), uint32(0), new Uint8Array(1), text('k'), uint32(0), new Uint8Array(1)),
      'k once',
    ],
    ['no alignment', file(0, 1, text('general.alignment'), uint32(4), uint32(0)), 'general.alignment'],
    ['a type that is not read', withData(file(1, 0, tensor('a', [256], 10, 0))), 'a as Q2_K'],
    ['a type that is known by its name', withData(file(1, 0, tensor('a', [256], 40, 0))), 'a as NVFP4'],
    ['a type nobody knows', withData(file(1, 0, tensor('a', [256], 999, 0))), 'a as ggml_type 999'],
    ['half a block', withData(file(1, 0, tensor('a', [16], 2, 0))), 'whole blocks of 32'],
    ['dimensions beyond any', withData(file(1, 0, tensor('a', [HUGE, HUGE], F32, 0))), 'a dimension of a of at most'],
    ['a product beyond any', withData(file(1, 0, tensor('a', [2 ** 40, 2 ** 40], F32, 0))), 'dimensions'],
    ['nine dimensions', withData(file(1, 0, tensor('a', Array<number>(9).fill(1), F32, 0))), 'at most 4 dimensions'],
    ['a tensor behind the end', withData(file(1, 0, tensor('a', [16], F32, 32))), 'within the 64 bytes of data'],
    ['a tensor at no multiple', withData(file(1, 0, tensor('a', [4], F32, 4))), 'at a multiple of 32'],
    ['a tensor twice', withData(file(2, 0, tensor('a', [4], F32, 0), tensor('a', [4], F32, 32))), 'the tensor a once'],
    [
      'tensors over each other',
      withData(file(2, 0, tensor('a', [16], F32, 0), tensor('b', [4], F32, 32))),
      'b after a',
    ],
    ['a hundred tensors in one place', withData(file(100, 0, many)), 'after t'],
  ])('%s', async (_, bytes, message) => {
    const started = performance.now()
    const error = await read(bytes).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ModelFormatError)
    expect((error as Error).message).toMatch(message)
    expect((error as Error).message.length).toBeLessThan(1000)
    expect(performance.now() - started).toBeLessThan(1000)
  })

  it('metadata of gigabytes, of which no more than the longest header is read', async () => {
    let largest = 0
    const head = file(
      0,
      4000,
      ...Array.from({ length: 40 }, (_, i) => Buffer.concat([text(`k${i}`), uint32(STRING), uint64(4_000_000)])),
    )
    const giant = {
      folder: '/m',
      name: 'm.gguf',
      size: 2 ** 36,
      async read(start: number, length: number) {
        largest = Math.max(largest, start + length)
        const bytes = new Uint8Array(length).fill(0x20)
        // Keys of four million characters each, one behind the other.
        for (let at = 24, i = 0; at + 40 < length; at += 4_000_030, i++) {
          bytes.set(
            Buffer.concat([text(`key-${String(i).padStart(6, '0')}`), uint32(STRING), uint64(4_000_000)]).subarray(
              0,
              30,
            ),
            at,
          )
        }
        bytes.set(head.subarray(0, 24))
        return bytes
      },
    }
    const files = { ...folderOf({}), findWeights: async () => giant }
    await expect(readGguf(files, 'm.gguf')).rejects.toThrow('a GGUF header of at most 67108864 bytes')
    expect(largest).toBe(2 ** 26)
  })
})

it('any bytes in a header are read or refused, and never anything else', async () => {
  const whole = readFixture('llama.gguf')
  const change = fc.tuple(fc.nat(12_000), fc.nat(255))
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.nat(whole.length),
      async (changes, length) => {
        const bytes = whole.slice(0, changes.length > 2 ? length : whole.length)
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value
        const files = openGguf(folderOf({ 'm.gguf': bytes }), 'm.gguf')
        for (const name of ['config.json', 'tokenizer.json', 'tokenizer_config.json']) {
          await files.readText(name).catch((error: unknown) => expect(error).toBeInstanceOf(ModelFormatError))
        }
        await files
          .findWeights('model.safetensors')
          .catch((error: unknown) => expect(error).toBeInstanceOf(ModelFormatError))
      },
    ),
    { numRuns: 150 },
  )
}, 60_000)

it('texts keep a mark of byte order, which tokens begin with', async () => {
  const mark = Buffer.from('\ufeff//')
  const { metadata } = await read(withData(file(0, 1, text('k'), uint32(STRING), uint64(mark.length), mark)))
  expect(metadata.get('k')).toBe('\ufeff//')
})

it('of several that were merged is one, though it says that it is one of none', async () => {
  const merged = file(1, 1, text('split.count'), uint32(UINT32), uint32(0), tensor('a', [16], F32, 0))
  expect([...(await read(withData(merged))).tensors.keys()]).toEqual(['a'])
})

describe('a divided model', () => {
  const names = [1, 2, 3].map((part) => `qwen3-0000${part}-of-00003.gguf`)
  const parts = Object.fromEntries(names.map((name) => [name, readFixture(name)]))
  const rename = (changes: Record<string, string>) =>
    folderOf(Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [changes[name] ?? name, bytes])))

  it('has the tensors of all its files', async () => {
    const { tensors } = await readGguf(folderOf(parts), names[0]!)
    expect(tensors.size).toBe(25)
  })

  it.each<[string, Record<string, string>, string, RegExp]>([
    [
      'is not whole',
      { [names[1]!]: 'gone' },
      names[0]!,
      /qwen3-00002-of-00003.gguf: expected a GGUF file, got no such file/,
    ],
    ['is opened by another file', {}, names[1]!, /the first of its files, qwen3-00001-of-00003.gguf/],
    ["has files in each other's place", { [names[1]!]: names[2]!, [names[2]!]: names[1]! }, names[0]!, /part 1 of 3/],
    ['lost its name', { [names[0]!]: 'm.gguf' }, 'm.gguf', /such as model-00001-of-00003.gguf/],
    ['has another number of files', { [names[0]!]: 'q-00001-of-00009.gguf' }, 'q-00001-of-00009.gguf', /9 files/],
  ])('that %s is refused', async (_, changes, name, message) => {
    await expect(readGguf(rename(changes), name)).rejects.toThrow(message)
  })
})
