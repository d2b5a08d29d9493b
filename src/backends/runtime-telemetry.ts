import { readdir, readlink } from 'node:fs/promises'
import { isMainThread } from 'node:worker_threads'
import { InvalidRequestError } from '../errors/index.ts'
import { readReport } from './platform.ts'

/**
 * Whether onnxruntime-node reports to its maker from this process. `system` is Windows, where it hands events to the
 * system, which records them only while a trace session collects; onnxruntime-node has no switch for that.
 */
export type RuntimeTelemetry = 'off' | 'on' | 'system'

const SWITCH = 'ORT_DISABLE_TELEMETRY'
/** The values that onnxruntime takes for a yes. It reads the variable once, when a process opens its first session. */
const YES = ['1', 'true', 'yes', 'on', 'y']
/** Files that onnxruntime keeps open on Linux while it reports: what it has not sent yet, and a log of its reporter. */
const OPEN_FILES = /\/Microsoft\/DeveloperTools\/\.onnxruntime\/|\/mat-debug-\d+\.log$/

/**
 * Decides for the process whether onnxruntime-node may report, unless that was decided before: a value that the app or
 * an earlier engine has set stays. The variable belongs to the whole process, which this library otherwise leaves alone;
 * onnxruntime has no other switch that JavaScript reaches, and without this one it looks names up, sends, and writes files
 * into the home folder. In a worker thread nothing is decided, since `process.env` is a copy there that onnxruntime never sees.
 */
export function decideTelemetry(wanted: boolean): void {
  // Bun keeps what a program sets to itself: native code sees only what the process was started with.
  if (isMainThread && process.versions['bun'] === undefined) process.env[SWITCH] ||= wanted ? '0' : '1'
}

/**
 * Makes sure, right before onnxruntime-node is loaded, that its reports are decided on where it looks.
 *
 * @throws InvalidRequestError where that cannot be done any more: in a worker thread of the app, in Bun, or where a test runner
 * has put an object of its own in place of `process.env`
 */
export function requireTelemetryDecision(): void {
  decideTelemetry(false)
  if (readSwitch() !== '') return
  throw new InvalidRequestError(
    SWITCH,
    `must be set, as onnxruntime-node otherwise reports to its maker, and cannot be from here: start the process with ${SWITCH}=1, or, but in Bun, set it in process.env of the main thread; in a worker thread of yours, createEngine({ worker: 'process' }) needs neither`,
  )
}

/**
 * What holds after a first session was opened. On Linux it is seen even where the app opened one before this library
 * could decide; elsewhere, and where the process may not look at its open files, it is what the variable asks for.
 */
export async function observeTelemetry(): Promise<RuntimeTelemetry> {
  if (process.platform === 'win32') return 'system'
  if (!YES.includes(readSwitch().trim().toLowerCase())) return 'on'
  return (await listOpenFiles()).some((file) => OPEN_FILES.test(file)) ? 'on' : 'off'
}

/**
 * The process's own value, which is not that of `process.env` in a worker thread, or where a test runner replaced it. The report of
 * Deno has no variables, and what its programs set there is the process's.
 */
function readSwitch(): string {
  const { environmentVariables = process.env } = readReport()
  return environmentVariables[SWITCH] ?? ''
}

async function listOpenFiles(): Promise<string[]> {
  if (process.platform !== 'linux') return []
  const folder = '/proc/self/fd'
  // The descriptor that lists the folder is closed by the time its link is read.
  const read = (name: string) => readlink(`${folder}/${name}`).catch(() => '')
  // Node's permission model keeps /proc from an app that may read its own files only.
  const names = await readdir(folder).catch((): string[] => [])
  return Promise.all(names.map(read))
}
