import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { detectBackends } from './detect.ts'

describe('detectBackends', () => {
  it('reports every backend, with a reason and a remedy where one does not work', async () => {
    const statuses = await detectBackends()
    expect(statuses.map((status) => status.name)).toEqual(['cpu', 'cuda', 'webgpu', 'coreml', 'dml', 'wasm'])
    for (const { available, reason, remedy, details } of statuses) {
      expect(details.platform).toContain(process.arch)
      expect(available ? details.runtime : reason).toEqual(expect.any(String))
      expect(remedy === undefined).toBe(available)
    }
    expect(statuses.find((status) => status.name === 'wasm')?.available).toBe(true)
  })

  it('writes nothing to stdout or stderr', async () => {
    const contents = "import { detectBackends } from './detect.ts'; await detectBackends()"
    const entry = { contents, resolveDir: import.meta.dirname }
    const bundled = await build({
      stdin: entry,
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
      packages: 'external',
    })
    const script = bundled.outputFiles[0]?.text ?? ''
    const args = ['--input-type=module', '-e', script]
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
    expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' })
  })
})
