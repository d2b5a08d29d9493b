import { buffer } from 'node:stream/consumers'
import colors from 'picocolors'
import { InvalidRequestError } from '../../errors/index.ts'
import { decodeText, parseJson, readJson, readNamedText, SUCH_QUESTIONS } from '../read-file.ts'
import { readNumber } from '../read-number.ts'
import { refuseRequest } from './refuse-request.ts'

export interface RequestArguments {
  /** Path of a file with the state; `-` or nothing for stdin. */
  readonly file?: string | undefined
  readonly state?: string | undefined
  /** JSON of the questions, or the path of a file with it. Without them what is read is a whole request. */
  readonly questions?: string | undefined
  readonly minConfidence?: string | undefined
}

/** The body of a decision request from command-line arguments, not yet checked. */
export async function readRequest(args: RequestArguments): Promise<Record<string, unknown>> {
  const common = await readCommon(args)
  if (args.questions !== undefined) return { state: await readState(args, common.questions), ...common }
  if (args.state !== undefined)
    throw new InvalidRequestError('--questions', `is required beside --state: ${SUCH_QUESTIONS}, or a file with it`)
  const request = parseJson(await readText(args), 'request')
  if (typeof request === 'object' && request !== null && 'questions' in request) return { ...request, ...common }
  const reason = 'is required, unless what is read is a whole request: JSON with "state" and "questions"'
  throw new InvalidRequestError('--questions', reason)
}

/** What the arguments say beside the state. */
export async function readCommon({ questions, minConfidence }: RequestArguments) {
  return {
    ...(questions === undefined ? {} : { questions: await readJson(questions, 'questions') }),
    ...(minConfidence === undefined ? {} : { min_confidence: readNumber('--min-confidence', minConfidence) }),
  }
}

async function readState({ state, file }: RequestArguments, questions: unknown): Promise<unknown> {
  if (state !== undefined && file !== undefined) {
    throw new InvalidRequestError('state', 'expected either --state or a file, got both')
  }
  if (state !== undefined) return state
  const content = await readText({ file })
  if (!file?.endsWith('.json')) return content
  const value = parseJson(content, 'state')
  refuseRequest(value, { path: 'state', source: `the file ${file}`, state: 'it', alone: 'the state', questions })
  return value
}

function readText({ file }: Pick<RequestArguments, 'file'>): Promise<string> {
  return file === undefined || file === '-' ? readStdin() : readNamedText(file, 'state')
}

/** An upstream program that failed writes nothing, which is no state to decide on. */
async function readStdin(): Promise<string> {
  const end = process.platform === 'win32' ? 'Ctrl+Z and Enter' : 'Ctrl+D'
  if (process.stdin.isTTY) process.stderr.write(`${colors.dim(`reading from the keyboard; end with ${end}`)}\n`)
  const text = decodeText(await buffer(process.stdin), 'state', 'stdin')
  if (text === '')
    throw new InvalidRequestError('state', 'nothing came on stdin; give a file, --state or some text there')
  return text
}
