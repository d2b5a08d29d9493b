import { homedir } from 'node:os'
import { afterEach, expect, it, vi } from 'vitest'
import { hubCacheFolder, hubTokenFile } from './hub-cache.ts'

const forward = (path: string) => path.replaceAll('\\', '/')
const home = forward(homedir())
afterEach(() => void vi.restoreAllMocks())
const disk = { DISK: '/mnt/a', EMPTY: '' }

it.each([
  ['~', home],
  ['~/hf', `${home}/hf`],
  ['/hf/~', '/hf/~'],
  ['~other/hf', '~other/hf'],
  ['$DISK/hf', '/mnt/a/hf'],
  ['${DISK}hf', '/mnt/ahf'],
  ['/hf$EMPTY', '/hf'],
  ['/hf/$DISKS/${NO}/$', '/hf/$DISKS/${NO}/$'],
  ['$DISK', '/mnt/a'],
])('reads %s as the tools of the hub do', (path, expanded) => {
  expect(forward(hubCacheFolder({ ...disk, HF_HUB_CACHE: path }))).toBe(expanded)
  expect(forward(hubCacheFolder({ ...disk, HUGGINGFACE_HUB_CACHE: path }))).toBe(expanded)
  expect(forward(hubCacheFolder({ ...disk, HF_HOME: path }))).toBe(`${expanded}/hub`)
  expect(forward(hubTokenFile({ ...disk, HF_HOME: path }))).toBe(`${expanded}/token`)
  expect(forward(hubTokenFile({ ...disk, HF_HOME: '/hf', HF_TOKEN_PATH: path }))).toBe(expanded)
})

it('expands a variable once: what it names is a path', () => {
  expect(hubCacheFolder({ HF_HUB_CACHE: '$CACHE', CACHE: '~/$DISK', ...disk })).toBe('~/$DISK')
})

it('reads where caches of all programs are', () => {
  expect(forward(hubCacheFolder({ ...disk, XDG_CACHE_HOME: '$DISK' }))).toBe('/mnt/a/huggingface/hub')
})

it.each([
  ['%DISK%/hf', '/mnt/a/hf', '%DISK%/hf'],
  ['%DISK%%DISK%', '/mnt/a/mnt/a', '%DISK%%DISK%'],
  ['/hf%EMPTY%/%Program(x86)%', '/hf/programs', '/hf%EMPTY%/%Program(x86)%'],
  ['/hf/%NO%/100%', '/hf/%NO%/100%', '/hf/%NO%/100%'],
  ['%disk%/hf/$Disk', '/mnt/a/hf//mnt/a', '%disk%/hf/$Disk'],
  ['/hf/100%%/$DISK', '/hf/100%//mnt/a', '/hf/100%%//mnt/a'],
])('reads %s as the tools of the hub do on Windows, and elsewhere as it is', (path, there, elsewhere) => {
  const env = { ...disk, 'Program(x86)': 'programs', HF_HUB_CACHE: path }
  const platform = vi.spyOn(process, 'platform', 'get')
  platform.mockReturnValue('win32')
  expect(forward(hubCacheFolder(env))).toBe(there)
  platform.mockReturnValue('linux')
  expect(forward(hubCacheFolder(env))).toBe(elsewhere)
})

it('reads its own variables on Windows whatever their case, as a worker thread has a copy in which it counts', () => {
  const platform = vi.spyOn(process, 'platform', 'get')
  platform.mockReturnValue('win32')
  expect(forward(hubCacheFolder({ hf_home: '/hub' }))).toBe('/hub/hub')
  platform.mockReturnValue('linux')
  expect(forward(hubCacheFolder({ hf_home: '/hub' }))).not.toBe('/hub/hub')
})
