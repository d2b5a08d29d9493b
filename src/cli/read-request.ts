import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { InvalidRequestError } from '../errors/index.ts'

export interface RequestArguments {
  /** Path of a file with the state; `-` or nothing for stdin. */
  readonly file?: string | undefined
  readonly state?: string | undefined
  /** JSON of the questions, or the path of a file with it. */
  readonly questions: string
  readonly minConfidence?: string | undefined
  readonly model?: string | undefined
}

/** The body of a decision request from command-line arguments, not yet checked. */
export async function readRequest(args: RequestArguments): Promise<Record<string, unknown>> {
  const questions = args.questions.trimStart().startsWith('{') ? args.questions : await readNamed(args.questions, 'questions')
  return {
    state: await readState(args),
    questions: parse(questions, 'questions'),
    ...(args.minConfidence === undefined ? {} : { min_confidence: readNumber(args.minConfidence) }),
    ...(args.model === undefined ? {} : { model: args.model }),
  }
}

async function readState({ state, file }: RequestArguments): Promise<unknown> {
  if (state !== undefined && file !== undefined) {
    throw new InvalidRequestError('state', 'expected either --state or a file, got both')
  }
  if (state !== undefined) return state
  if (file === undefined || file === '-') return text(process.stdin)
  const content = await readNamed(file, 'state')
  return file.endsWith('.json') ? parse(content, 'state') : content
}

/** NaN for what is no number; unlike `Number`, also for an empty text. */
export function readNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}

async function readNamed(file: string, path: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new InvalidRequestError(path, `the file ${file} could not be read (${code})`, { cause })
  }
}

function parse(json: string, path: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new InvalidRequestError(path, 'expected JSON, got something that does not parse', { cause })
  }
}
