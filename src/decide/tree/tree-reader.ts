import type { Session, Tensor } from '../../backends/backend.ts'
import { groupBranches } from '../group-branches.ts'
import { type KeysAndValues, wipe } from '../kept/keys-and-values.ts'
import { textLength, type TreeBranch } from './tree-branch.ts'
import { branchFeeds, cutBranch, readRows, spanLength, type Stretch } from './tree-passes.ts'
import type { TreeWindow } from './tree-window.ts'

/** Most tokens of questions in a pass: all scores of a layer are in memory at once. */
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
  /** Passes that the questions take behind a window, for progress. */
  readonly passes: number
  /**
   * Reads a window and answers the questions on it. `beforePass` is awaited before every pass and may throw to stop. Gives the logits [K] of
   * each branch, in order.
   *
   * @param onRows is given what the scorer reads of each branch: the hidden states of its leaves, in the order of their tokens, then that of its
   * decide token, [leaves + 1, width]; they are of no use after the call
   */
  read(window: TreeWindow, beforePass: () => Promise<void>, onRows?: OnRows): Promise<Float64Array[]>
}

/** @param most tokens of questions in a pass */
export function createTreeReader(model: TreeModel, branches: readonly TreeBranch[], most = PASS): TreeReader {
  const groups = groupBySpan(branches, most)
  return {
    passes: groups.reduce((sum, { passes }) => sum + passes.length, 0),
    read: (window, beforePass, onRows) =>
      window.use(beforePass, async (state) => {
        const logits: Float64Array[] = []
        for (const group of groups) {
          const rows = await readGroup(model, group, { state, length: window.length, beforePass })
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
        return logits
      }),
  }
}

/** Questions of one span together, so that none is filled up because of another. */
function groupBySpan(branches: readonly TreeBranch[], most: number): Group[] {
  const bySpan = new Map<number, number[]>()
  for (const [question, { ids }] of branches.entries()) {
    const span = spanLength(ids.length)
    bySpan.set(span, [...(bySpan.get(span) ?? []), question])
  }
  return [...bySpan.values()].flatMap((questions) => {
    const own = questions.map((question) => branches[question]!)
    return groupBranches(own, most).map((group): Group => {
      const cut = group.map(({ branch }) => cutBranch(branch, most))
      const [first] = cut as [Stretch[]]
      return {
        questions: group.map(({ question }) => questions[question]!),
        passes: first.length > 1 ? first.map((stretch) => [stretch]) : [cut.flat()],
      }
    })
  })
}

interface WindowState {
  /** Keys and values of the window. */
  readonly state: KeysAndValues
  readonly length: number
  readonly beforePass: () => Promise<void>
}

/** The hidden states of all rows that are read of a group, one after the other. */
async function readGroup(model: TreeModel, { passes }: Group, window: WindowState): Promise<Float32Array> {
  const { branch, width } = model
  const read: Float32Array[] = []
  const own: KeysAndValues[] = []
  let past = window.state
  try {
    for (const [index, pass] of passes.entries()) {
      await window.beforePass()
      const last = index === passes.length - 1
      if (last && own.length > 0) past = replace(branch, past, append(window.state, own), window.state)
      const feeds = { ...branchFeeds(pass, window.length), ...asPast(past) }
      const { hidden, ...added } = await branch.run(feeds, last ? ['hidden'] : undefined)
      const rows = pass.reduce((sum, stretch) => sum + readRows(stretch).length, 0)
      read.push((hidden!.data as Float32Array).subarray(0, rows * width))
      if (last) break
      own.push(added)
      // Leaves see the text of their question, and the last stretch sees all of it.
      if (index === 0) past = append(window.state, [firstRows(added, textLength(pass[0]!.branch))])
    }
  } finally {
    if (past !== window.state) wipe(branch, past)
    for (const added of own) wipe(branch, added)
  }
  return join(read)
}

function replace(session: Session, old: KeysAndValues, now: KeysAndValues, kept: KeysAndValues): KeysAndValues {
  if (old !== kept) wipe(session, old)
  return now
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

function asPast(keysAndValues: KeysAndValues): Record<string, Tensor> {
  return Object.fromEntries(Object.entries(keysAndValues).map(([name, tensor]) => [`past_${name}`, tensor]))
}

/** The rows of all of `added` behind those of `past`, of every layer. */
function append(past: KeysAndValues, added: readonly KeysAndValues[]): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(past).map(([name, before]) => {
      const parts = [before, ...added.map((of) => of[name]!)]
      const rows = parts.reduce((sum, { dims }) => sum + dims[0]!, 0)
      const data = before.type === 'float16' ? joinHalves(parts) : join(parts.map(({ data }) => data as Float32Array))
      return [name, { type: before.type, dims: [rows, before.dims[1]!], data }]
    }),
  )
}

function firstRows(keysAndValues: KeysAndValues, count: number): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(keysAndValues).map(([name, { type, dims, data }]) => {
      const rows = Math.min(count, dims[0]!)
      return [name, { type, dims: [rows, dims[1]!], data: data.subarray(0, rows * dims[1]!) as Tensor['data'] }]
    }),
  )
}

function joinHalves(parts: readonly Tensor[]): Uint16Array {
  const joined = new Uint16Array(parts.reduce((sum, { data }) => sum + data.length, 0))
  let at = 0
  for (const { data } of parts) {
    joined.set(data as Uint16Array, at)
    at += data.length
  }
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
