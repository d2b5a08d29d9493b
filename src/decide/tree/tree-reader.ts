import type { Session, Tensor } from '../../backends/backend.ts'
import { groupBranches } from '../group-branches.ts'
import type { WorkingMemory } from '../working-memory.ts'
import type { TreeBranch } from './tree-branch.ts'
import { biasLength, branchFeeds, countRows, cutBranch, type Stretch, trunkFeeds } from './tree-passes.ts'

/**
 * Most tokens of questions in a pass: every token is computed against all of its pass, and all scores of a layer are in memory at
 * once.
 */
const PASS = 256

/** The sessions of a model. */
export interface TreeModel {
  readonly trunk: Session
  readonly branch: Session
  readonly scorer: Session
  /** Width of a hidden state. */
  readonly width: number
}

/** Questions that are read together: in one pass, or a question of many options alone in several. */
interface Group {
  readonly questions: readonly number[]
  readonly passes: readonly (readonly Stretch[])[]
}

type OnRows = (branch: number, rows: Float32Array) => void

export interface TreeReader {
  /** Passes that a window takes, for progress. */
  readonly passes: number
  /**
   * Reads a window and answers the questions on it. `beforePass` is awaited before every pass and may throw to stop. Gives the logits [K] of
   * each branch, in order.
   *
   * @param trunk tokens of the window with its frame
   * @param onRows is given what the scorer reads of each branch: the hidden states of its leaves, in the order of their tokens, then that of its
   * decide token, [leaves + 1, width]; they are of no use after the call
   */
  read(trunk: readonly number[], beforePass: () => Promise<void>, onRows?: OnRows): Promise<Float64Array[]>
}

/** @param most tokens of questions in a pass */
export function createTreeReader(
  model: TreeModel,
  branches: readonly TreeBranch[],
  memory: WorkingMemory,
  most = PASS,
): TreeReader {
  const groups = groupBranches(branches, most).map((group): Group => {
    const questions = group.map(({ question }) => question)
    if (questions.length === 1) {
      return { questions, passes: cutBranch(branches[questions[0]!]!, most).map((stretch) => [stretch]) }
    }
    const whole = questions.map((question): Stretch => {
      const branch = branches[question]!
      return { branch, from: 0, to: branch.ids.length }
    })
    return { questions, passes: [whole] }
  })
  return {
    passes: groups.reduce((sum, { passes }) => sum + passes.length, 1),
    async read(trunk, beforePass, onRows) {
      await beforePass()
      const state = await model.trunk.run(trunkFeeds(trunk))
      const logits: Float64Array[] = []
      try {
        for (const group of groups) {
          const rows = await readGroup(model, group, { state, length: trunk.length, memory, beforePass })
          const own = group.questions.map((question) => branches[question]!)
          const read = await score(model, own, rows)
          let first = 0
          for (const [index, question] of group.questions.entries()) {
            logits[question] = read[index]!
            const next = first + own[index]!.rows.length * model.width
            onRows?.(question, rows.subarray(first, next))
            first = next
          }
        }
      } finally {
        wipe(model.trunk, state)
      }
      return logits
    },
  }
}

interface WindowState {
  /** Keys and values of the window. */
  readonly state: Readonly<Record<string, Tensor>>
  readonly length: number
  readonly memory: WorkingMemory
  readonly beforePass: () => Promise<void>
}

/** The hidden states of all rows that are read of a group, one after the other. */
async function readGroup({ branch, width }: TreeModel, { passes }: Group, window: WindowState): Promise<Float32Array> {
  const lent = window.memory.lend([Math.max(...passes.map((pass) => biasLength(pass, window.length)))])
  const read: Float32Array[] = []
  let past = window.state
  try {
    for (const [index, pass] of passes.entries()) {
      await window.beforePass()
      const feeds = { ...branchFeeds(pass, window.length, lent.arrays[0]!), ...asPast(past) }
      const last = index === passes.length - 1
      const { hidden, ...added } = await branch.run(feeds, last ? ['hidden'] : undefined)
      read.push((hidden!.data as Float32Array).subarray(0, countRows(pass) * width))
      if (last) break
      const longer = append(past, added)
      if (past !== window.state) wipe(branch, past)
      wipe(branch, added)
      past = longer
    }
  } finally {
    if (past !== window.state) wipe(branch, past)
    lent.giveBack()
  }
  return join(read)
}

/** Logits of each branch's options, in the caller's order. `rows` are those of its leaves, then of its decide token. */
async function score({ scorer, width }: TreeModel, branches: readonly TreeBranch[], rows: Float32Array) {
  const options: Float32Array[] = []
  const decides: Float32Array[] = []
  let row = 0
  const rowAt = (at: number) => rows.subarray(at * width, (at + 1) * width)
  for (const { rows: read } of branches) {
    const decide = row + read.length - 1
    for (; row < decide; row++) {
      options.push(rowAt(row))
      decides.push(rowAt(decide))
    }
    row++
  }
  const matrix = (parts: Float32Array[]): Tensor => ({
    type: 'float32',
    dims: [parts.length, width],
    data: join(parts),
  })
  const { logits } = await scorer.run({ options: matrix(options), decides: matrix(decides) })
  const scores = logits!.data as Float32Array
  let first = 0
  return branches.map(({ leafOf }) => {
    const own = scores.subarray(first, (first += leafOf.length))
    return Float64Array.from(leafOf, (leaf) => own[leaf]!)
  })
}

function asPast(keysAndValues: Readonly<Record<string, Tensor>>): Record<string, Tensor> {
  return Object.fromEntries(Object.entries(keysAndValues).map(([name, tensor]) => [`past_${name}`, tensor]))
}

/** The rows of `added` behind those of `past`, of every layer. */
function append(
  past: Readonly<Record<string, Tensor>>,
  added: Readonly<Record<string, Tensor>>,
): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(past).map(([name, before]) => {
      const after = added[name]!
      const data = before.type === 'float16' ? joinHalves(before, after) : join([before, after].map(floats))
      return [name, { type: before.type, dims: [before.dims[0]! + after.dims[0]!, before.dims[1]!], data }]
    }),
  )
}

function floats({ data }: Tensor): Float32Array {
  return data as Float32Array
}

function joinHalves(before: Tensor, after: Tensor): Uint16Array {
  const joined = new Uint16Array(before.data.length + after.data.length)
  joined.set(before.data as Uint16Array)
  joined.set(after.data as Uint16Array, before.data.length)
  return joined
}

function join(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** Keys and values can be inverted to the text they came from, and nobody knows when their memory is used again. */
function wipe(session: Session, keysAndValues: Readonly<Record<string, Tensor>>): void {
  for (const { data } of Object.values(keysAndValues)) data.fill(0 as never)
  session.free(keysAndValues)
}
