import { vi } from 'vitest'
import { atTheEnd } from './at-the-end.ts'

/** All that this process writes from now on, until the tests of the file that asks for it are over. */
export function captureOutput(): readonly string[] {
  const written: string[] = []
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
    const spy = vi.spyOn(stream, 'write').mockImplementation((...args: unknown[]) => {
      written.push(String(args[0]))
      return write(...args)
    })
    atTheEnd(() => spy.mockRestore())
  }
  return written
}
