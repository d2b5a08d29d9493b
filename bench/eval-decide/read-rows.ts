import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { type DecisionRequest, parseDecisionRequest, type Question } from '../../src/schemas/index.ts'

/** A labelled question. `gold` is true/false, an option key or a level index. */
interface Labelled {
  type: Question['type']
  instructions?: string
  criteria?: Record<string, string | null> | string[] | null
  gold: boolean | string | number
}

interface Row {
  source: string
  family?: string
  heldout?: string
  state: string | object
  questions: Labelled[]
}

export interface Case {
  readonly source: string
  readonly family: string
  readonly heldout: string
  readonly request: DecisionRequest
  /** Index of the right option of each question, in the request's order. */
  readonly gold: readonly number[]
}

function goldIndex({ type, criteria, gold }: Labelled): number {
  if (type === 'noul') return gold === true ? 0 : 1
  return type === 'choice' ? Object.keys(criteria ?? {}).indexOf(String(gold)) : Number(gold)
}

function open(file: string): Readable {
  return file.endsWith('.xz')
    ? spawn('xz', ['-dc', file], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout
    : createReadStream(file)
}

/**
 * Labelled rows of a `.jsonl` file (`.jsonl.xz` where the xz command is installed), one object a line:
 * `{source, family?, heldout?, state, questions: [{type, instructions, criteria?, gold}]}`. Every `every`th row is used.
 */
export async function* readRows(file: string, every = 1): AsyncGenerator<Case> {
  let number = 0
  for await (const line of createInterface({ input: open(file) })) {
    if (line === '' || number++ % every) continue
    const row = JSON.parse(line) as Row
    const questions = row.questions.map(({ type, instructions, criteria }) => ({ type, instructions, criteria }))
    const gold = row.questions.map(goldIndex)
    yield {
      source: row.source,
      family: row.family ?? row.source,
      heldout: row.heldout ?? '',
      request: parseDecisionRequest({
        state: row.state,
        questions: Object.fromEntries(questions.map((question, index) => [`q${index}`, question])),
      }),
      gold,
    }
  }
}
