import { openAsBlob } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import type { InvalidRequestError } from '../../errors/index.ts'
import type { EditImageRequest } from '../../schemas/index.ts'
import { editImage, generateImage, writeImage } from '../index.ts'
import { readControl } from './control-option.ts'
import { buffersOf, ownSources } from './picture-sources.ts'
import { createRequestReader } from './request-reader.ts'

const bytes = Uint8Array.of(137, 80, 78, 71, 13, 10)
const base64 = Buffer.from(bytes).toString('base64')
const folder = temporaryFolder()
beforeAll(() => writeFile(join(folder, 'a.png'), bytes))

function share(copied: Uint8Array): Uint8Array {
  const shared = new Uint8Array(new SharedArrayBuffer(copied.length))
  shared.set(copied)
  return shared
}

function fileOfFrame(): File {
  const proto = { [Symbol.toStringTag]: 'File', arrayBuffer: async () => bytes.slice().buffer }
  return Object.create(proto) as File
}

describe('the source of an edit', () => {
  it.each<[string, () => NonNullable<EditImageRequest['image']>]>([
    ['bytes', () => bytes],
    ['a Buffer', () => Buffer.from(bytes)],
    ['a view into more bytes', () => Uint8Array.of(1, 2, ...bytes, 3).subarray(2, 8)],
    ['an ArrayBuffer', () => bytes.slice().buffer],
    ['shared memory', () => share(bytes)],
    ['bytes of another realm', () => runInNewContext(`Uint8Array.of(${[...bytes]})`) as Uint8Array],
    ['an ArrayBuffer of another realm', () => runInNewContext(`Uint8Array.of(${[...bytes]}).buffer`) as ArrayBuffer],
    ['a Blob', () => new Blob([bytes])],
    ['a File of another realm, as of a frame', () => fileOfFrame()],
    ['the URL of a file', () => pathToFileURL(join(folder, 'a.png'))],
  ])('may be %s, of which the engine has bytes of its own', async (_, make) => {
    const request = { prompt: 'x', seed: 1, n: 1 }
    const source = make()
    const read = (await ownSources({ ...request, image: source, mask: source }, readFile)) as typeof request & {
      readonly image: Uint8Array
      readonly mask: Uint8Array
    }
    expect(read).toEqual({ ...request, image: bytes, mask: bytes })
    expect(await ownSources({ ...request, images: [source, base64] }, readFile)).toEqual({
      ...request,
      images: [bytes, base64],
    })
    // They are handed over to the worker, and what the caller has stays the caller's.
    const buffers = buffersOf({ kind: 'editImage', request: read })
    expect(buffers).toEqual([read.image.buffer, read.mask.buffer])
    structuredClone(read, { transfer: buffers })
    expect([read.image.length, bytes.length]).toEqual([0, 6])
  })

  it.each<[string, object]>([
    ['an instance of a class; await its arrayBuffer()', new Response('x')],
    ['an object; give its b64_json', { b64_json: 'iVBORw0K' }],
    ['an instance of a class', new ReadableStream()],
    ['an instance of a class', new SharedArrayBuffer(6)],
    ['an instance of a class', Uint16Array.of(1)],
    ['an object', { [Symbol.toStringTag]: 'Uint8Array' }],
    ['an array', [bytes]],
  ])('is refused with what it may be where it is %s', async (what, image) => {
    const refused = ownSources({ prompt: 'x', image: image as Uint8Array }, readFile)
    const reason = `must be bytes (Uint8Array or ArrayBuffer), a Blob, the URL of a file, base64 or a data URL, got ${what}`
    await expect(refused).rejects.toMatchObject({ path: 'image', reason })
  })

  it.each<[string, unknown]>([
    ['an instance of a class', Uint16Array.of(1)],
    ['a URL that starts with file:; nothing is fetched, so pass the bytes', new URL('file:///a.png')],
    ['a URL that starts with blob:; nothing is fetched, so pass the bytes', new URL('blob:http://localhost/1')],
  ])('is no file where none can be read, and refused where it is %s', async (what, image) => {
    const { path, reason } = (await ownSources({ prompt: 'x', image: image as URL }).catch(
      (error: unknown) => error,
    )) as InvalidRequestError
    expect(path).toBe('image')
    expect(reason).toMatch(/^must be bytes \(Uint8Array or ArrayBuffer\), a Blob, base64 or a data URL(?: here)?, got /)
    expect(reason).toMatch(what)
  })

  it('may be base64', async () => {
    const request = { prompt: 'x', seed: 1, n: 1, image: base64 }
    expect(await ownSources(request, readFile)).toEqual(request)
    expect(buffersOf({ kind: 'editImage', request })).toEqual([])
  })

  it.each<[string, URL, string]>([
    ['image', new URL('https://example.com/a.png'), 'got one that starts with https:; nothing is fetched'],
    ['image', new URL('file:///no/such/file.png'), 'the file could not be read (ENOENT)'],
  ])('names %s where it cannot be read', async (path, image, reason) => {
    await expect(editImage({ prompt: 'x', image })).rejects.toMatchObject({
      code: 'invalid_request',
      path,
      reason: expect.stringContaining(reason),
    })
  })

  it('is waited for no longer than the call is wanted', async () => {
    const controller = new AbortController()
    const { signal } = controller
    const image = new Promise<Uint8Array>(() => {}) as unknown as Uint8Array
    const calls = [
      editImage({ prompt: 'x', image }, { signal }),
      editImage({ prompt: 'x', image: base64 }, { signal, control: { image } }),
      generateImage({ prompt: 'x' }, { signal, control: { image } }),
    ]
    controller.abort()
    for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'aborted' })
  })

  it('is waited for with one listener on a signal that many calls share, of which Node would warn', async () => {
    const { signal } = new AbortController()
    const [listen, stop] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')]
    const { readEdit } = createRequestReader({}, readFile)
    const call = () => readEdit({ prompt: 'x', image: base64 }, { signal })
    await Promise.all(Array.from({ length: 12 }, call))
    expect([listen.mock.calls.length, stop.mock.calls.length]).toEqual([1, 1])
  })

  it('is copied where it is the promise of bytes too, which the caller may still have', async () => {
    const image = Promise.resolve(bytes) as unknown as Uint8Array
    const read = (await ownSources({ prompt: 'x', image }, readFile)) as { readonly image: Uint8Array }
    expect(read.image).toEqual(bytes)
    expect(read.image).not.toBe(bytes)
  })

  it('is what it was when the call was made, whatever the caller does with its memory meanwhile', async () => {
    const request = { prompt: 'x', image: bytes.slice(), mask: bytes.slice(), images: [bytes.slice(), bytes.slice()] }
    const owned = ownSources(request, readFile)
    for (const source of [request.image, request.mask, ...request.images]) source.fill(0)
    Object.assign(request, { prompt: 'y' })
    expect(await owned).toEqual({ prompt: 'x', image: bytes, mask: bytes, images: [bytes, bytes] })
    const control = { image: bytes.slice(), scale: 1 }
    const read = readControl(control, readFile)
    control.image.fill(0)
    control.scale = 2
    expect(await read).toEqual({ control: { image: bytes, scale: 1 } })
  })

  it.each<[string, (handed: Uint8Array) => Uint8Array | ArrayBufferLike]>([
    ['bytes', (handed) => handed],
    ['an ArrayBuffer', ({ buffer }) => buffer],
  ])('is named where it is %s that another thread has now', async (_, take) => {
    const handed = bytes.slice()
    structuredClone(handed, { transfer: [handed.buffer] })
    await expect(editImage({ prompt: 'x', image: take(handed) as Uint8Array })).rejects.toMatchObject({
      code: 'invalid_request',
      path: 'image',
      reason: 'must not be empty',
    })
  })

  it('is named where the file of a Blob is another by now', async () => {
    const path = join(folder, 'changed.png')
    await writeFile(path, bytes)
    const blob = await openAsBlob(path)
    await writeFile(path, Buffer.concat([bytes, bytes]))
    await expect(editImage({ prompt: 'x', image: blob })).rejects.toMatchObject({
      code: 'invalid_request',
      path: 'image',
      reason: 'the file could not be read (NotReadableError)',
    })
  })

  it('leaves everything else to the check of the request', async () => {
    for (const body of [null, 5, { prompt: 'x', image: 5 }, { prompt: 'x', images: 'x' }, { prompt: 'x' }]) {
      await expect(editImage(body as never)).rejects.toMatchObject({ code: 'invalid_request' })
    }
  })
})

it('a picture is written as the file that it is', async () => {
  await writeImage(join(folder, 'b.png'), { b64_json: base64 })
  expect(new Uint8Array(await readFile(join(folder, 'b.png')))).toEqual(bytes)
})

it.each<[string, unknown, unknown, string]>([
  [
    'the answer itself',
    'c.png',
    { data: [{ b64_json: base64 }] },
    'image: must be a picture of an answer, such as data[0], got an object',
  ],
  ['a promise that was not awaited', 'c.png', Promise.resolve(), 'image: must be a picture of an answer'],
  [
    'all pictures',
    'c.png',
    [{ b64_json: base64 }],
    'image: must be a picture of an answer, such as data[0], got an array',
  ],
  ['nothing', 'c.png', undefined, 'image: must be a picture of an answer, such as data[0], got nothing'],
  ['its base64', 'c.png', base64, 'image: must be a picture of an answer, such as data[0], got a string'],
  ['a data URL', 'c.png', { b64_json: `data:image/png;base64,${base64}` }, 'image.b64_json: must be a PNG as base64'],
  ['a URL of no file', new URL('http://x/c.png'), { b64_json: base64 }, 'path: must be the path or URL of a file'],
  ['no path', '', { b64_json: base64 }, "path: must be the path or URL of a file, got ''"],
  ['the picture first', { b64_json: base64 }, 'c.png', 'path: must be the path or URL of a file, got an object'],
])('writing a picture names what is wrong with %s', async (_, path, image, message) => {
  const written = writeImage(path as string, image as { readonly b64_json: string })
  await expect(written).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(message) })
})
