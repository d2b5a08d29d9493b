import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { materializeControlled } from '../../test/helpers/control-net.ts'
import { type ImageBundle, materializeBundle } from '../../test/helpers/image-bundle.ts'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import type { ControlOption } from './calls/control-option.ts'
import { createEngine } from './create-engine.ts'
import type { Engine } from './engine.ts'

const REQUEST = { prompt: 'a red apple', size: '96x64', seed: 7 }

let controlled: ImageBundle
let klein: ImageBundle
const work = temporaryFolder()
let engine: Engine
let edges: Buffer
beforeAll(async () => {
  controlled = await materializeControlled('shared')
  klein = await materializeBundle('klein-distilled')
  const pixels = Buffer.from(Array.from({ length: 96 * 64 * 3 }, (_, i) => (i * 7) % 256))
  edges = await sharp(pixels, { raw: { width: 96, height: 64, channels: 3 } })
    .png()
    .toBuffer()
  await writeFile(join(work, 'edges.png'), edges)
  engine = await createEngine({
    backend: 'cpu',
    threads: 1,
    models: { 'alpha-image-turbo': controlled.folder, 'beta-klein-4b': klein.folder },
  })
})
afterAll(async () => {
  await engine.dispose()
  await controlled.remove()
  await klein.remove()
})

const draw = async (control?: ControlOption) =>
  (await engine.generateImage(REQUEST, { steps: 2, control })).data[0].b64_json

it('follows a control in every form that a source has, at 0.75 unless a scale is given', async () => {
  const expected = await draw({ image: edges, scale: 0.75 })
  expect(expected).not.toBe(await draw())
  expect(await draw({ image: edges, scale: 0.2 })).not.toBe(expected)
  const forms = [
    edges.toString('base64'),
    `data:image/png;base64,${edges.toString('base64')}`,
    new Blob([new Uint8Array(edges)]),
    pathToFileURL(join(work, 'edges.png')),
  ]
  for (const image of forms) expect(await draw({ image })).toBe(expected)
  // The caller's own bytes stay.
  expect(edges.length).toBeGreaterThan(0)
})

it('cuts off evenly what exceeds the shape of the picture', async () => {
  const wide = await sharp(edges).extend({ left: 32, right: 32, background: 'red' }).png().toBuffer()
  expect(await draw({ image: wide })).toBe(await draw({ image: edges }))
})

it('follows a control in edits, and with a mask leaves the rest as it is', async () => {
  const source = await sharp({ create: { width: 96, height: 64, channels: 3, background: '#c04020' } })
    .png()
    .toBuffer()
  const half = { create: { width: 96, height: 32, channels: 3, background: 'white' } } as const
  const white = await sharp(half).png().toBuffer()
  const mask = await sharp({ create: { ...half.create, height: 64, background: 'black' } })
    .composite([{ input: white, gravity: 'north' }])
    .png()
    .toBuffer()
  const edit = { prompt: 'a pear', image: source, model: 'alpha-image-turbo', seed: 3 }
  const pixels = async (options: object, more: object = {}) => {
    const { data } = await engine.editImage({ ...edit, ...more }, { steps: 2, ...options })
    return sharp(Buffer.from(data[0].b64_json, 'base64')).raw().toBuffer()
  }
  expect(await pixels({ control: { image: edges } })).not.toEqual(await pixels({}))
  const masked = await pixels({ control: { image: edges } }, { mask })
  const [lower, before] = [masked, await sharp(source).raw().toBuffer()].map((data) => data.subarray(96 * 32 * 3))
  expect(lower).toEqual(before)
  await expect(pixels({ control: { image: edges }, strength: 0.5 }, { mask })).rejects.toMatchObject({
    code: 'invalid_request',
    path: 'strength',
  })
})

it('takes pictures as they are when the call is made, whatever becomes of their memory', async () => {
  const edit = { prompt: 'a pear', model: 'alpha-image-turbo', seed: 3 }
  const start = () => {
    const [image, control] = [edges, edges].map((bytes) => new Uint8Array(bytes)) as [Uint8Array, Uint8Array]
    return { image, control, call: engine.editImage({ ...edit, image }, { steps: 2, control: { image: control } }) }
  }
  const expected = await start().call
  const { image, control, call } = start()
  for (const bytes of [image, control]) bytes.fill(0)
  expect(await call).toEqual(expected)
})

it.each<[unknown, string]>([
  [{ image: 'no base64!' }, 'control.image'],
  [{ image: Buffer.from('no picture') }, 'control.image'],
  [{ image: new URL('https://example.com/edges.png') }, 'control.image'],
  [{ image: pathToFileURL('/nowhere/edges.png') }, 'control.image'],
  [{}, 'control.image'],
  [{ image: '' }, 'control.image'],
  [{ image: 'iVBO', scale: 2.5 }, 'control.scale'],
  [{ image: 'iVBO', scale: 'much' }, 'control.scale'],
  [{ image: 'iVBO', strength: 1 }, 'control.strength'],
  ['edges.png', 'control'],
])('refuses %o', async (control, path) => {
  await expect(draw(control as ControlOption)).rejects.toMatchObject({ code: 'invalid_request', path })
})

it('refuses a control where the model has no ControlNet', async () => {
  const request = { ...REQUEST, model: 'beta-klein-4b' }
  await expect(engine.generateImage(request, { steps: 2, control: { image: edges } })).rejects.toMatchObject({
    code: 'invalid_request',
    path: 'control',
    message: expect.stringContaining('ControlNet'),
  })
})
