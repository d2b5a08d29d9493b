import { constants } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import colors from 'picocolors'
import { InvalidRequestError } from '../errors/index.ts'
import { formatBytes } from '../models/format-bytes.ts'
import { refuseRequest } from './refuse-request.ts'

export interface RequestArguments {
  /** Path of a file with the state; `-` or nothing for stdin. */
  readonly file?: string | undefined
  readonly state?: string | undefined
  /** JSON of the questions, or the path of a file with it. Without them what is read is a whole request. */
  readonly questions?: string | undefined
  readonly minConfidence?: string | undefined
  readonly model?: string | undefined
}

/** The body of a decision request from command-line arguments, not yet checked. */
export async function readRequest(args: RequestArguments): Promise<Record<string, unknown>> {
  const common = await readCommon(args)
  if (args.questions !== undefined) return { state: await readState(args, common.questions), ...common }
  if (args.state !== undefined) throw new InvalidRequestError('--questions', 'is required beside --state')
  const request = parseJson(await readText(args), 'request')
  if (typeof request === 'object' && request !== null && 'questions' in request) return { ...request, ...common }
  const reason = 'is required, unless what is read is a whole request: JSON with "state" and "questions"'
  throw new InvalidRequestError('--questions', reason)
}

/** What the arguments say beside the state. */
export async function readCommon({ questions, minConfidence, model }: RequestArguments) {
  return {
    ...(questions === undefined ? {} : { questions: await readQuestions(questions, 'questions') }),
    ...(minConfidence === undefined ? {} : { min_confidence: readNumber('--min-confidence', minConfidence) }),
    ...(model === undefined ? {} : { model }),
  }
}

/**
 * @param given JSON, or the name of a file with it
 * @param path what it is called in errors
 */
export async function readQuestions(given: string, path: string): Promise<unknown> {
  const json = given.trimStart().startsWith('{') ? given : await readNamedText(given, path)
  return parseJson(json, path)
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

/** @throws InvalidRequestError naming the flag, for what is no number; unlike for `Number`, an empty text is none */
export function readNumber(flag: string, text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (Number.isNaN(number)) throw new InvalidRequestError(flag, `must be a number, got '${text}'`)
  return number
}

/** The same, of a flag that may be left out. */
export function readOptionalNumber(flag: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : readNumber(flag, text)
}

/** An upstream program that failed writes nothing, which is no state to decide on. */
async function readStdin(): Promise<string> {
  const end = process.platform === 'win32' ? 'Ctrl+Z and Enter' : 'Ctrl+D'
  if (process.stdin.isTTY) process.stderr.write(`${colors.dim(`reading from the keyboard; end with ${end}`)}\n`)
  const text = decode(await buffer(process.stdin), 'state', 'stdin')
  if (text === '')
    throw new InvalidRequestError('state', 'nothing came on stdin; give a file, --state or some text there')
  return text
}

/** UTF-16 without a byte order mark is UTF-8 of every other character where it is of English words. */
export const ZERO_BYTES = 'must be text in UTF-8, got zero bytes, as text in UTF-16 has them'

/** Without a byte order mark. Bytes of another encoding would be decided on as signs that nobody wrote. */
function decode(bytes: Uint8Array, path: string, source: string): string {
  if (bytes.includes(0)) throw new InvalidRequestError(path, `${source} ${ZERO_BYTES}`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    const most = constants.MAX_STRING_LENGTH
    const reason =
      bytes.length > most
        ? `has ${formatBytes(bytes.length)}, and at most ${formatBytes(most)} are read at once`
        : 'must be text in UTF-8, got bytes that are not'
    throw new InvalidRequestError(path, `${source} ${reason}`, { cause })
  }
}

export async function readNamedText(file: string, path: string): Promise<string> {
  return decode(await readBytes(file, path), path, `the file ${file}`)
}

/** What may have been meant where there is no file of that name. */
const INSTEAD_OF_FILES: Readonly<Record<string, string>> = {
  state: '; a text itself is given with --state',
  questions: '; questions themselves are JSON, such as {"angry":{"type":"noul","instructions":"Is the writer angry?"}}',
}

export async function readBytes(file: string, path: string): Promise<Buffer> {
  try {
    return await readFile(file)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown error'
    const remedy = code === 'ENOENT' ? (INSTEAD_OF_FILES[path] ?? '') : ''
    throw new InvalidRequestError(path, `the file ${file} could not be read (${code})${remedy}`, { cause })
  }
}

export function parseJson(json: string, path: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new InvalidRequestError(path, 'expected JSON, got something that does not parse', { cause })
  }
}
