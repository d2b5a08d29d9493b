import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundleWorker } from '../engine/test-support/bundle-worker.ts'

const QUESTIONS = '{"q":{"type":"noul","instructions":"Is it late?"}}'
let cli: string
beforeAll(async () => {
  cli = fileURLToPath(await bundleWorker('src/cli/main.ts', 'cli-main'))
})

/** What a run with that on stdin prints. */
async function run(
  args: readonly string[],
  input: string | Buffer = '',
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...args], (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
    child.stdin!.end(input)
  })
}

describe('tessera', () => {
  it('decides on what comes on stdin', async () => {
    const { code, stdout } = await run(
      ['decide', '--questions', QUESTIONS, '--json', '--backend', 'cpu'],
      'The parcel is late.',
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ answers: { q: { type: 'noul' } } })
  })

  it.each([
    ['nothing', '', 'nothing came on stdin'],
    ['another encoding', Buffer.from('\ufefflate', 'utf16le'), 'stdin must be text in UTF-8'],
  ])('decides on no state where %s comes on stdin', async (_, input, reason) => {
    const { code, stdout, stderr } = await run(['decide', '--questions', QUESTIONS], input)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(reason)
  })

  it('ends in silence when its reader has gone', async () => {
    const child = spawn(process.execPath, [cli, 'models'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const errors = text(child.stderr)
    expect(await once(child, 'close')).toEqual([0, null])
    expect(await errors).toBe('')
  })

  it('prints its usage without colours where it is no terminal', async () => {
    const { code, stdout } = await run(['decide', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('--questions')
    expect(stdout).not.toContain('\u001b')
  })
})
