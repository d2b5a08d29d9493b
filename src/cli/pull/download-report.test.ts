import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import { DownloadReport } from './download-report.ts'

function record(isTTY: boolean) {
  const written: string[] = []
  let now = 0
  const stream = { isTTY, write: (text: string | Uint8Array) => written.push(String(text)) > 0 }
  const report = new DownloadReport(stream, () => now)
  const show = (at: number, done: number) => {
    now = at
    report.show({ stage: 'download', file: 'a.safetensors', done, total: 4e9 })
  }
  return { written, report, show }
}

it('says file, bytes, rate and time left', () => {
  const { written, show } = record(true)
  show(0, 1e9)
  show(2000, 1.2e9)
  expect(written.at(-1)).toContain('a.safetensors: 1.20 GB of 4.00 GB, 100 MB/s, 28 s left')
  show(60_000, 1.5e9)
  expect(written.at(-1)).toContain('1.50 GB of 4.00 GB')
  show(61_000, 1.50001e9)
  expect(written.at(-1)).toContain('10.0 kB/s, 69.4 h left')
})

it('shows the end of what would wrap in the terminal, where it could not be overwritten', () => {
  const written: string[] = []
  const stream = { isTTY: true, columns: 80, write: (text: string | Uint8Array) => written.push(String(text)) > 0 }
  const file = 'transformer/diffusion_pytorch_model-00001-of-00003.safetensors'
  new DownloadReport(stream, () => 0).show({ stage: 'download', file, done: 1e9, total: 9.5e9 })
  const [line] = written.map((text) => stripVTControlCharacters(text).replace('\r', ''))
  expect(line).toMatch(/^….*_pytorch_model-00001-of-00003\.safetensors: 1\.00 GB of 9\.50 GB$/)
  expect(line).toHaveLength(79)
})

it('writes a line every ten seconds and one at the end where nobody watches', () => {
  const { written, report, show } = record(false)
  for (let second = 0; second <= 25; second++) show(second * 1000, second * 1e8)
  report.say('a.safetensors: the hub answered 503; trying again in 1 s')
  show(26_000, 4e9)
  expect(written).toEqual([
    'a.safetensors: 0 B of 4.00 GB\n',
    expect.stringMatching(/^a\.safetensors: 1\.00 GB of 4\.00 GB, 100 MB\/s, 30 s left\n$/),
    expect.stringMatching(/^a\.safetensors: 2\.00 GB of 4\.00 GB, 100 MB\/s, 20 s left\n$/),
    'a.safetensors: the hub answered 503; trying again in 1 s\n',
    'a.safetensors: 4.00 GB of 4.00 GB\n',
  ])
})
