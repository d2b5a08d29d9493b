import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { closed } from '../../../test/helpers/plug-and-play.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { openFolder } from '../files/model-folder.ts'

vi.mock('node:fs/promises', async (original) =>
  (await import('../../../test/helpers/plug-and-play.ts')).withoutDisposal(original),
)

it('reads and closes files whose handles cannot be disposed', async () => {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'model.safetensors'), 'abcdef')
  const weights = await openFolder(folder).findWeights('model.safetensors')
  expect(Buffer.from(await weights!.read(2, 3)).toString()).toBe('cde')
  expect(closed).toHaveBeenCalledOnce()
})
