import { createCpuBackend } from '../../src/backends/index.ts'
import { type ImagePipeline, openImagePipeline, type PixelImage } from '../../src/images/index.ts'
import { resizeLanczos } from '../../src/images/picture/lanczos.ts'
import { openFolder } from '../../src/models/index.ts'

/*
 * How near the previews of image-mini are to its pictures, step by step, as JSON:
 *
 *     npm run eval:previews
 */

const SIDE = 256
const NAMES = ['apple', 'car', 'cat', 'house', 'tree', 'fish', 'star', 'ball']
const COLOURS = ['blue', 'yellow', 'green', 'white', 'gray']

/** How near the preview after each step is to the picture in its size: mean distance in levels, and correlation of levels. */
async function measurePreviews(pipeline: ImagePipeline) {
  const steps: { distance: number; correlation: number }[][] = []
  const prompts = NAMES.flatMap((name) => COLOURS.map((colour) => `a ${name} on a ${colour} background`))
  for (const [seed, prompt] of prompts.entries()) {
    const looks: PixelImage[] = []
    const turn = async () => {}
    const prepared = await pipeline.prepare({ prompt, width: SIDE, height: SIDE, previews: true }, { turn })
    const picture = await prepared.draw(seed, { turn, onLook: async (look) => void looks.push(look) })
    for (const [step, look] of looks.entries()) (steps[step] ??= []).push(compare(look, picture))
  }
  return steps.map((found, step) => ({
    step: step + 1,
    pictures: found.length,
    distance: found.reduce((sum, { distance }) => sum + distance, 0) / found.length,
    correlation: found.reduce((sum, { correlation }) => sum + correlation, 0) / found.length,
  }))
}

function compare({ width, height, data: look }: PixelImage, picture: PixelImage) {
  const { data } = resizeLanczos(picture, width, height)
  const mean = (levels: Uint8Array) => levels.reduce((sum, level) => sum + level, 0) / levels.length
  const [a, b] = [mean(look), mean(data)]
  let [both, first, second, distance] = [0, 0, 0, 0]
  for (let i = 0; i < data.length; i++) {
    both += (look[i]! - a) * (data[i]! - b)
    first += (look[i]! - a) ** 2
    second += (data[i]! - b) ** 2
    distance += Math.abs(look[i]! - data[i]!) / data.length
  }
  return { distance, correlation: both / Math.sqrt(first * second) }
}

const backend = await createCpuBackend({ threads: 1 })
const pipeline = await openImagePipeline({ backend, files: openFolder('models/image-mini') })
const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(3)) : value)
console.log(JSON.stringify(await measurePreviews(pipeline), rounded, 2))
await pipeline.dispose()
await backend.dispose()
