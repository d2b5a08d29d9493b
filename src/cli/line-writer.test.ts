import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { LineWriter } from './line-writer.ts'

describe('lines', () => {
  it('come out whole and in order, and the end waits for them', async () => {
    let out = ''
    const writer = new LineWriter(async (text) => {
      await sleep(5)
      out += text
    })
    for (let line = 0; line < 100; line++) writer.add(String(line))
    await writer.close(5000)
    expect(out.trim().split('\n')).toEqual(Array.from({ length: 100 }, (_, line) => String(line)))
  })

  it('that nobody reads are dropped beyond a megabyte, which is told, and hold nothing up', async () => {
    let go = () => {}
    const stalled = new Promise<void>((resolve) => (go = resolve))
    let out = ''
    const writer = new LineWriter(async (text) => {
      await stalled
      out += text
    })
    const line = 'x'.repeat(1000)
    for (let count = 0; count < 2000; count++) writer.add(line)
    const began = performance.now()
    await writer.close(50)
    expect(performance.now() - began).toBeLessThan(5000)
    go()
    await writer.close(5000)
    const lines = out.trim().split('\n')
    const { dropped_lines } = JSON.parse(lines.at(-1)!) as { dropped_lines: number }
    expect(dropped_lines).toBeGreaterThan(900)
    expect(lines.length - 1 + dropped_lines).toBe(2000)
  })

  it('whose reader has gone are forgotten', async () => {
    const writer = new LineWriter(() => Promise.reject(new Error('EPIPE')))
    writer.add('a')
    await writer.close(1000)
    writer.add('b')
    await writer.close(1000)
  })

  it('go where stdout was taken to, as pm2 does in cluster mode', async () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    try {
      const writer = new LineWriter()
      for (const line of ['a', 'b']) {
        writer.add(line)
        await writer.close(5000)
      }
      expect(write.mock.calls).toEqual([['a\n'], ['b\n']])
    } finally {
      write.mockRestore()
    }
  })
})
