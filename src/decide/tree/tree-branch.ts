import type { Question } from '../../schemas/index.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { TreeLayout } from './tree-config.ts'
import { treeOptionTexts, treeText } from './tree-text.ts'

/** The part of tokens that are seen by everything behind them in the branch. */
const TRUNK = 0
/** The part of the token that sees the whole branch. */
export const JOIN = -1

/**
 * A question behind the state: its text, then a leaf for each option, then the decide token. Tokens of the text see the state and
 * each other, those of a leaf see that and their leaf, the decide token sees all. Leaves and the decide token begin at one position.
 */
export interface TreeBranch {
  readonly ids: readonly number[]
  /** Position of each token relative to the end of the state. */
  readonly offsets: readonly number[]
  /** The part of the branch that each token belongs to: `TRUNK`, `JOIN`, or from 1 on a leaf. */
  readonly parts: readonly number[]
  /** Places of the tokens whose hidden states are read: the end of each leaf, then the decide token. */
  readonly rows: readonly number[]
  /** Row of the table of levels that is added to each token; 0 is none. */
  readonly levels: readonly number[]
  /** The leaf of each option, by its place in the order of their tokens. */
  readonly leafOf: readonly number[]
}

/** The number of tokens that are seen by everything behind them: the first of the branch. */
export function textLength({ parts }: TreeBranch): number {
  const end = parts.findIndex((part) => part !== TRUNK)
  return end === -1 ? parts.length : end
}

/** True where a token of part `from` looks at one of part `to` of the same question. */
export function seesPart(from: number, to: number): boolean {
  return to === TRUNK || to === from || from === JOIN
}

/** One past the largest offset: how many positions beyond the state the branch needs. */
export function extent({ offsets }: TreeBranch): number {
  return offsets.reduce((most, offset) => Math.max(most, offset), -1) + 1
}

export interface TreeTokens {
  /** The text of a state, without what stands around it. */
  state(text: string): number[]
  /** A window of a state as it is read. */
  trunk(state: readonly number[]): number[]
  /** @param most ids that it may have; one that has more is not made to its end */
  question(question: Question, most: number): TreeBranch
}

/** Layout `tree-1`; models/decide-mini/recipe/LAYOUT.md has all of it. */
export function createTreeTokens(tokenizer: Tokenizer, layout: TreeLayout): TreeTokens {
  const start = tokenizer.structural(layout.start_token)
  const end = tokenizer.structural(layout.end_token)
  const decide = tokenizer.structural(layout.decide_token)

  function question(asked: Question, most: number): TreeBranch {
    const text = `${layout.words[asked.type]} ${treeText(asked.instructions)}`
    const ids = [...tokenizer.encode(text, most), end]
    const base = ids.length
    const offsets = ids.map((_, index) => index)
    const parts = ids.map(() => TRUNK)
    const levels = ids.map(() => 0)
    const ends: number[] = []
    const texts = treeOptionTexts(asked)
    const order = leafOrder(asked, texts)
    for (const [leaf, option] of order.entries()) {
      if (ids.length > most) break
      const tokens = [...tokenizer.encode(texts[option]!, most), end]
      for (const [place, id] of tokens.entries()) {
        ids.push(id)
        offsets.push(base + place)
        parts.push(leaf + 1)
        levels.push(0)
      }
      ends.push(ids.length - 1)
      if (asked.type === 'score') levels[ids.length - 1] = levelRow(option, texts.length, layout.level_steps)
    }
    ids.push(decide)
    offsets.push(base)
    parts.push(JOIN)
    levels.push(0)
    const leafOf = texts.map((_, option) => order.indexOf(option))
    return { ids, offsets, parts, levels, leafOf, rows: [...ends, ids.length - 1] }
  }

  return {
    state: (text) => tokenizer.encode(text),
    trunk: (state) => [start, ...state, end],
    question,
  }
}

/**
 * The options of a choice are read in the order of their texts, whatever order they come in: nothing but rounding depends on it, and
 * so not even that does.
 */
function leafOrder({ type }: Question, texts: readonly string[]): number[] {
  const order = texts.map((_, option) => option)
  if (type !== 'choice') return order
  return order.sort((a, b) => (texts[a]! < texts[b]! ? -1 : Number(texts[a]! > texts[b]!)))
}

function levelRow(level: number, count: number, steps: number): number {
  return 1 + Math.floor((steps * level) / Math.max(1, count - 1) + 0.5)
}
