import { readFileSync } from 'node:fs'
import { createCpuBackend } from '../../src/backends/index.ts'
import { openDecider } from '../../src/decide/index.ts'
import { openFolder } from '../../src/models/index.ts'
import { type DecisionRequestInput, parseDecisionRequest } from '../../src/schemas/index.ts'
import { makeRequest } from '../decide/request.ts'
import { timeAlternating } from '../measure/time-alternating.ts'
import type { FamilyFigures, Sharing } from './results.ts'

/*
 * Measures one checkpoint in a process of its own, whose memory nothing else has used:
 *
 *     node scripts/run-ts.mjs bench/families/measure-family.ts FOLDER RUNS [questions]
 *
 * Times are those of the processor, which depend less on what else a machine does; one thread computes.
 */

const STATE_TOKENS = 400
const QUESTION = { q: { type: 'noul', instructions: 'The author promises that the work has no defects.' } } as const
const MESSAGE = 'My card has not arrived and nobody answers the phone. I want my money back by Friday.'
const TOPICS = ['a delivery', 'a refund', 'an invoice', 'a password', 'a complaint', 'praise', 'a crash', 'a visit']

process.env['ORT_DISABLE_TELEMETRY'] = '1'
const [folder = '', runs, and] = process.argv.slice(2)
const before = ownMemory()
const backend = await createCpuBackend({ threads: 1 })
const decider = await openDecider({ backend, files: openFolder(folder) })
const open = ownMemory()
const decide = (request: DecisionRequestInput) =>
  decider.logits(parseDecisionRequest(request), { turn: () => Promise.resolve() })

const long = await makeRequest(STATE_TOKENS, async ({ state }) =>
  decider.countTokens(parseDecisionRequest({ state, questions: QUESTION })),
)
const reading = { state: long.state, questions: QUESTION }
const { input_tokens } = decider.countTokens(parseDecisionRequest(reading))
const { read } = await timeAlternating({ read: () => decide(reading) }, Number(runs), processorTime)
const busy = ownMemory()
const figures: FamilyFigures = {
  open_mib: open - before,
  busy_mib: busy - before,
  resident_mib: process.memoryUsage.rss() / 2 ** 20,
  tokens: input_tokens,
  read,
  ...(and === 'questions' && { sharing: await measureSharing() }),
}
process.stdout.write(JSON.stringify(figures))
await decider.dispose()
await backend.dispose()

/** Questions on one short message, in one call and each in a call of its own. */
async function measureSharing(): Promise<Sharing> {
  const asked = TOPICS.map((topic) => ({ type: 'noul', instructions: `This message is about ${topic}.` }) as const)
  const questions = Object.fromEntries(asked.map((question, index) => [`q${index}`, question]))
  const ways = {
    together: () => decide({ state: MESSAGE, questions }),
    async separate() {
      for (const question of asked) await decide({ state: MESSAGE, questions: { question } })
    },
  }
  return { questions: asked.length, ...(await timeAlternating(ways, Number(runs), processorTime)) }
}

/** MiB of this process without mapped files, which the system can drop. */
function ownMemory(): number {
  const status = readFileSync('/proc/self/status', 'utf8')
  return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) / 1024
}

/** Milliseconds that all threads of this process have computed for. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
