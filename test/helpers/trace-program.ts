import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

export interface Traced {
  readonly stdout: string
  readonly stderr: string
  /** What the program left in its home folder, in which temporary files belong too. */
  readonly files: readonly string[]
  /** System calls that make or change a file, or a socket to anything outside; undefined without strace. */
  readonly calls: readonly string[] | undefined
}

/** Whether this machine has strace, and lets it trace. */
export const canTrace = spawnSync('strace', ['-f', '-o', '/dev/null', 'true']).status === 0

// The ones with a question mark exist on some processors only.
const MAKING =
  '?creat,?link,linkat,?mkdir,mkdirat,?rename,?renameat,renameat2,?symlink,symlinkat,truncate,?unlink,unlinkat'
const STRACE = [
  'strace',
  '-f',
  '-qq',
  '--seccomp-bpf',
  '-s',
  '200',
  '-e',
  `trace=?open,openat,${MAKING},socket,connect`,
]

/**
 * Runs Node to the program's end with a home folder that is empty, and with nothing else of this process's environment: a
 * runner of tests that is known to onnxruntime would keep it from reporting. The proxy keeps what reports all the same from
 * reaching anybody, since nothing listens there.
 */
export async function traceProgram(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<Traced> {
  const home = await mkdtemp(join(tmpdir(), 'tessera-home-'))
  const trace = `${home}.trace`
  try {
    const [command, ...words] = [...(canTrace ? [...STRACE, '-o', trace] : []), process.execPath, ...args]
    const proxy = 'http://127.0.0.1:9'
    const { stdout, stderr } = await promisify(execFile)(command!, words, {
      cwd,
      env: {
        PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
        HOME: home,
        USERPROFILE: home,
        TMPDIR: home,
        TEMP: home,
        https_proxy: proxy,
        HTTPS_PROXY: proxy,
        ...env,
      },
    })
    const calls = canTrace ? (await readFile(trace, 'utf8')).split('\n').filter(leavesTraces) : undefined
    return { stdout, stderr, files: await readdir(home, { recursive: true }), calls }
  } finally {
    await Promise.all([home, trace].map((path) => rm(path, { recursive: true, force: true })))
  }
}

/** Whether a line of a trace shows more than reading. Devices and what the kernel shows as files are none. */
function leavesTraces(line: string): boolean {
  if (/^\d+ +<\.\.\. |^\d+ +(---|\+\+\+)/.test(line)) return false
  const opened = /^\d+ +open(?:at)?\((?:[^,"]+, )?"([^"]*)", ([A-Z_|0]+)/.exec(line)
  if (opened === null) return line !== ''
  const [, path, flags] = opened
  return /O_(WRONLY|RDWR|CREAT|TRUNC)/.test(flags!) && !/^\/(dev|proc|sys)\//.test(path!)
}
