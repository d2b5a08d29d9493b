import { InvalidRequestError } from '../../errors/index.ts'

interface Place {
  /** The argument that names it, for the error. */
  readonly path: string
  readonly source: string
  /** What is the state itself there. */
  readonly state: string
  /** What is to be given. */
  readonly alone: string
  /** What is asked of it, by name. */
  readonly questions: unknown
}

/**
 * Refuses a whole request, or a labelled row, where there are questions already: it would be read with its own, or its labels. A record
 * with a field of that name, such as the state of an order, is a state like others; so is one with labels of its own, such as an alert of
 * Prometheus.
 *
 * @throws InvalidRequestError saying what it has
 */
export function refuseRequest(value: unknown, { path, source, state, alone, questions }: Place): void {
  if (!isObject(value) || !('state' in value)) return
  const beside = isObject(value['questions']) ? 'questions' : isLabelled(value, questions) ? 'labels' : undefined
  if (beside === undefined) return
  const remedy = beside === 'questions' ? `leave --questions out, or give ${alone} alone` : `give ${alone} alone`
  const reason = `has "state" beside "${beside}", where with --questions ${state} is the state itself; ${remedy}`
  throw new InvalidRequestError(path, `${source} ${reason}`)
}

/** What a labelled row may have. */
const OF_ROWS = ['state', 'labels', 'model', 'min_confidence']
/** Types of right answers. */
const LABELS = ['boolean', 'string', 'number']

/** What texts have and words do not: spaces, or many letters of languages that are written without them. */
const OF_TEXTS = /\s|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]{8}/u

/** Labels of other questions, too, would be read with the state: they are the answers. What `state` says in one word is the state of something. */
function isLabelled(value: Readonly<Record<string, unknown>>, questions: unknown): boolean {
  const { state, labels } = value
  if (!isObject(labels)) return false
  const names = Object.keys(labels)
  if (names.some((name) => Object.hasOwn(Object(questions), name))) return true
  const areLabels = names.length > 0 && Object.values(labels).every((label) => LABELS.includes(typeof label))
  const isContent = typeof state === 'string' ? OF_TEXTS.test(state) : typeof state === 'object' && state !== null
  return areLabels && isContent && Object.keys(value).every((name) => OF_ROWS.includes(name))
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
