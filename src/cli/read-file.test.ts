import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { readNamedText } from './read-file.ts'

// As if no text could have more characters, which are half a thousand million: what is larger cannot be decoded.
vi.mock('node:buffer', async (load) => ({
  ...(await load<object>()),
  constants: { MAX_STRING_LENGTH: 8 },
}))

it('says of a file that is too large for one text that it is, not that it is no UTF-8', async () => {
  const folder = temporaryFolder()
  const read = async (bytes: number) => {
    const file = join(folder, 'rows.jsonl')
    await writeFile(file, Buffer.alloc(bytes, 0xff))
    return readNamedText(file, '--data')
  }
  await expect(read(9)).rejects.toThrow(/^--data: the file .* has 9 B, and at most 8 B are read at once$/)
  await expect(read(8)).rejects.toThrow(/must be text in UTF-8, got bytes that are not$/)
})
