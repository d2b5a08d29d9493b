// What 8 bits change of a language model's next tokens:
// node scripts/run-ts.mjs bench/next-tokens/next-tokens.ts CHECKPOINT TEXT [PIECES]
// CHECKPOINT has float weights. TEXT is cut into pieces of 1,024 tokens, each read on its own. After each piece a line of JSON says what all so
// far give.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Backend, createCpuBackend } from '../../src/backends/index.ts'
import { chooseSmoothing } from '../../src/decide/index.ts'
import { loadTokenizer } from '../../src/decide/tokenizer/tokenizer.ts'
import { openFolder, quantizeWeights, type QuantizeWeightsOptions } from '../../src/models/index.ts'
import { compareLogits, type TokenComparison } from './compare-logits.ts'
import { openReader } from './open-reader.ts'

const TOKENS = 1024
const [checkpoint, textFile, pieces = '16'] = process.argv.slice(2)
if (checkpoint === undefined || textFile === undefined) throw new Error('expected CHECKPOINT and TEXT')

const openBackend = () => createCpuBackend()
const smoothly: QuantizeWeightsOptions['chooseSmoothing'] = (files, options) =>
  chooseSmoothing(files, { ...options, openBackend, available: Number.POSITIVE_INFINITY })
const FORMATS = {
  'blocks of 128': { bits: 8, blockSize: 128 },
  rows: { bits: 8, blockSize: 'row' },
  'rows, smoothed': { bits: 8, blockSize: 'row', chooseSmoothing: smoothly },
} as const

const { encode } = await loadTokenizer(openFolder(checkpoint))
const ids = encode(await readFile(textFile, 'utf8'), Number(pieces) * TOKENS)
const texts = Array.from({ length: Number(pieces) }, (_, i) => ids.slice(i * TOKENS, (i + 1) * TOKENS))
const folder = await mkdtemp(join(tmpdir(), 'tessera-next-tokens-'))
const backend = await openBackend()
try {
  const kept: Record<string, number> = {}
  for (const [name, format] of Object.entries(FORMATS)) {
    kept[name] = (await quantizeWeights({ folder: checkpoint, out: join(folder, name), ...format })).rough.length
  }
  for await (const compared of compareAll(backend))
    process.stdout.write(`${JSON.stringify({ kept_in_blocks: kept, ...compared })}\n`)
} finally {
  await backend.dispose()
  await rm(folder, { recursive: true })
}

async function* compareAll(backend: Backend) {
  const float = await openReader(backend, checkpoint!, TOKENS)
  const names = Object.keys(FORMATS)
  const readers = await Promise.all(names.map((name) => openReader(backend, join(folder, name), TOKENS)))
  const seen: TokenComparison[][] = names.map(() => [])
  for (const text of texts) {
    await float(text, async (wanted) => {
      for (const [i, read] of readers.entries())
        await read(text, (logits) => void seen[i]!.push(...compareLogits(wanted, logits, text)))
    })
    const described = names.map((name, i) => [name, describe(seen[i]!, seen[0]!)])
    yield {
      tokens: seen[0]!.length,
      right_in_float: mean(seen[0]!.map(({ rightInFloat }) => rightInFloat)),
      ...Object.fromEntries(described),
    }
  }
}

function describe(seen: readonly TokenComparison[], blocks: readonly TokenComparison[]) {
  return {
    against_float: difference(seen, ({ right, rightInFloat }) => right - rightInFloat),
    against_blocks: difference(seen, ({ right }, at) => right - blocks[at]!.right),
    same_token: mean(seen.map(({ same }) => same)),
    divergence: mean(seen.map(({ divergence }) => divergence)),
  }
}

/** Of right answers, in points, with half of the interval that holds it 95 times of 100. */
function difference(seen: readonly TokenComparison[], of: (one: TokenComparison, at: number) => number) {
  const values = seen.map((one, at) => 100 * of(one, at))
  const middle = mean(values)
  const variance = mean(values.map((value) => (value - middle) ** 2))
  return { points: middle, interval: 1.96 * Math.sqrt(variance / values.length) }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
