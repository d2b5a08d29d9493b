import type * as Fs from 'node:fs/promises'
import { vi } from 'vitest'

/** Called for each handle that was closed. */
export const closed = vi.fn<() => void>()

/** `node:fs/promises` whose handles are as Yarn's Plug'n'Play puts them in place of Node's: they cannot be disposed. */
export async function withoutDisposal(original: () => Promise<typeof Fs>) {
  const fs = await original()
  const open = async (path: string) => {
    const handle = await fs.open(path)
    return {
      read: handle.read.bind(handle),
      stat: handle.stat.bind(handle),
      createReadStream: handle.createReadStream.bind(handle),
      close: async () => {
        await handle.close()
        closed()
      },
    }
  }
  return { ...fs, open }
}
