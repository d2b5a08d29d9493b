// Logits that llama.cpp gives the answers to prompts as their next token, on one thread of a processor.
//
//     node test/real-weights/answer-with-llama-cpp.mjs FILE.gguf OUT < JSON     (needs npm --prefix bench/peers install)
//
// The input is a list of {"text", "symbols"}: a prompt with its structural tokens, and the answers to compare. OUT gets
// {"seconds" (of the processor), "memory" (bytes), "prompts"}, of which each has the ids of the prompt and the logits of the symbols.
import { readFileSync, writeFileSync } from 'node:fs'
import { getLlama, LlamaLogLevel } from '../../bench/peers/node-llama-cpp.mjs'

const [modelPath, out] = process.argv.slice(2)
const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.error })
const before = process.memoryUsage().rss
const model = await llama.loadModel({ modelPath })
const context = await model.createContext({ contextSize: 4096, batchSize: 4096, threads: 1, sequences: 1 })
const sequence = context.getSequence()
const prompts = []
let seconds = 0
for (const { text, symbols } of JSON.parse(readFileSync(0, 'utf8'))) {
  const ids = model.tokenize(text, true)
  const tokens = symbols.map((symbol) => model.tokenize(symbol, false)[0])
  await sequence.clearHistory()
  const started = process.cpuUsage()
  const options = { generateNext: { logits: { filter: { tokens } } } }
  const results = await sequence.controlledEvaluate([...ids.slice(0, -1), [ids.at(-1), options]])
  const { user, system } = process.cpuUsage(started)
  seconds += (user + system) / 1e6
  const { logits } = results.at(-1).next
  prompts.push({ ids: [...ids], logits: tokens.map((token) => logits.get(token)) })
}
writeFileSync(out, JSON.stringify({ seconds, memory: process.memoryUsage().rss - before, prompts }))
process.exit(0)
