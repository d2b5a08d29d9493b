import type os from 'node:os'
import { expect, it, vi } from 'vitest'
import { unpackedFolder } from '../quantize/unpack-weights.ts'
import { hubCacheFolder } from './hub-cache.ts'

vi.mock('node:os', async (original) => ({
  ...(await original<typeof os>()),
  homedir: () => {
    throw Object.assign(new Error('A system error occurred: uv_os_homedir returned ENOENT'), {
      code: 'ERR_SYSTEM_ERROR',
    })
  },
}))

it('a user without a home, as systemd and containers start services, has an empty cache of models', () => {
  expect(hubCacheFolder({}).replaceAll('\\', '/')).toBe('/.cache/huggingface/hub')
  expect(hubCacheFolder({ HF_HUB_CACHE: '/models' })).toBe('/models')
})

it('variables that are empty are not set: no cache is in the current folder', () => {
  const empty = { TESSERA_CACHE: '', XDG_CACHE_HOME: '', HF_HOME: '', HF_HUB_CACHE: '' }
  expect(hubCacheFolder(empty)).toBe(hubCacheFolder({}))
  expect(unpackedFolder(empty).replaceAll('\\', '/')).toBe('/.cache/tessera/unpacked')
})
