import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEngine, type Engine } from '../src/index.ts'

let engine: Engine
let drawn: string
beforeAll(async () => {
  engine = await createEngine({ backend: 'cpu', threads: 1 })
  drawn = await draw({ prompt: 'a 3d fox on a blue background', size: '256x256', seed: 0 })
})
afterAll(() => engine.dispose())

async function draw(request: Parameters<Engine['generateImage']>[0]): Promise<string> {
  const { data } = await engine.generateImage(request)
  return data[0]!.b64_json
}

/** Mean levels of red, green and blue in a square of 16 pixels at that place. */
async function colourAt(png: string, left: number, top: number): Promise<[number, number, number]> {
  const square = sharp(Buffer.from(png, 'base64')).extract({ left, top, width: 16, height: 16 })
  const levels = await square.raw().toBuffer()
  const mean = (channel: number) => levels.filter((_, index) => index % 3 === channel).reduce((a, b) => a + b) / 256
  return [mean(0), mean(1), mean(2)]
}

it('serves both image names', async () => {
  const models = await engine.models()
  for (const name of ['alpha-image-turbo', 'beta-klein-4b']) {
    expect(models.find((model) => model.name === name)).toMatchObject({ id: 'image-mini', available: true })
  }
})

it('draws what was asked: a blue background, and an orange fox on it', async () => {
  for (const corner of [4, 236]) {
    const [red, green, blue] = await colourAt(drawn, corner, 4)
    expect(blue).toBeGreaterThan(red + 80)
    expect(blue).toBeGreaterThan(green + 40)
  }
  const [red, green, blue] = await colourAt(drawn, 120, 120)
  expect(red).toBeGreaterThan(blue + 80)
  expect(red).toBeGreaterThan(green + 40)
})

it("draws the README's first picture right, ten times of ten: a red apple on blue", async () => {
  for (let seed = 0; seed < 10; seed++) {
    const { data, warnings } = await engine.generateImage({
      prompt: 'an apple on a blue background',
      size: '256x256',
      seed,
    })
    expect(warnings).toBeUndefined()
    const [red, green, blue] = await colourAt(data[0]!.b64_json, 4, 4)
    expect(blue).toBeGreaterThan(Math.max(red, green) + 80)
    const apple = await colourAt(data[0]!.b64_json, 120, 120)
    expect(apple[0]).toBeGreaterThan(Math.max(apple[1], apple[2]) + 80)
  }
})

it('draws the same picture from the same seed, and another from another', async () => {
  const request = { prompt: 'a 3d fox on a blue background', size: '256x256' }
  expect((await draw({ ...request, seed: 0 })) === drawn).toBe(true)
  expect((await draw({ ...request, seed: 1 })) === drawn).toBe(false)
})

it('changes the background of its picture and keeps the fox', async () => {
  const { data } = await engine.editImage({ prompt: 'change the background to yellow', image: drawn }, { seed: 0 })
  const edited = data[0]!.b64_json
  const [red, green, blue] = await colourAt(edited, 4, 4)
  expect(Math.min(red, green)).toBeGreaterThan(blue + 80)
  const before = await colourAt(drawn, 120, 120)
  const after = await colourAt(edited, 120, 120)
  for (const [channel, level] of before.entries()) expect(Math.abs(level - after[channel]!)).toBeLessThan(30)
})

it('keeps what an edit leaves of its source to the bit, in the size of the source', async () => {
  const small = await draw({
    prompt: 'a small 3d cat in the top left corner on a white background',
    size: '256x256',
    seed: 1,
  })
  const source = await sharp(Buffer.from(small, 'base64')).resize(600, 600).png().toBuffer()
  const { data } = await engine.editImage(
    { prompt: 'add a small 3d dog in the bottom right corner', image: source.toString('base64') },
    { seed: 0 },
  )
  const edited = Buffer.from(data[0]!.b64_json, 'base64')
  const same = async (left: number, top: number) => {
    const corner = (file: Buffer) => sharp(file).extract({ left, top, width: 240, height: 240 }).raw().toBuffer()
    return (await corner(edited)).equals(await corner(source))
  }
  expect([await same(360, 0), await same(0, 360), await same(360, 360)]).toEqual([true, true, false])
})

it('says what it does not draw of a prompt, beside the picture', async () => {
  const { warnings } = await engine.generateImage(
    { prompt: 'a blue rainbow and a lighthouse', size: '256x256' },
    { steps: 1 },
  )
  expect(warnings).toEqual([
    { code: 'unknown_words', path: 'prompt', message: expect.stringContaining('not lighthouse;') },
    { code: 'object_colors', path: 'prompt', message: expect.stringContaining('not blue rainbow;') },
  ])
})

it('resamples to sizes that it does not draw', async () => {
  const png = Buffer.from(await draw({ prompt: 'a red apple', size: '300x200', seed: 3 }), 'base64')
  expect(await sharp(png).metadata()).toMatchObject({ width: 300, height: 200, format: 'png' })
})
