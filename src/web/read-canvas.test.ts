import { afterEach, expect, it, vi } from 'vitest'
import { createContext, readCanvas } from './read-canvas.ts'

/** A canvas of a browser that changes what `getImageData` gives, as `change` does. */
function stubCanvas(change: (level: number, at: number) => number): void {
  class Canvas {
    readonly width: number
    readonly height: number
    data: Uint8ClampedArray<ArrayBuffer>
    constructor(width: number, height: number) {
      this.width = width
      this.height = height
      this.data = new Uint8ClampedArray(width * height * 4).fill(9)
    }
    getContext() {
      return {
        canvas: this,
        createImageData: (width: number, height: number) => ({ data: new Uint8ClampedArray(width * height * 4) }),
        fillRect: () => {},
        clearRect: () => {},
        putImageData: ({ data }: { data: Uint8ClampedArray<ArrayBuffer> }) => void (this.data = data.slice()),
        getImageData: () => ({ data: this.data.map(change) }),
      }
    }
  }
  class Frame {
    readonly canvas: Canvas
    constructor(canvas: Canvas) {
      this.canvas = canvas
    }
    copyTo = async (pixels: Uint8Array) => pixels.set(this.canvas.data)
    close = () => {}
  }
  vi.stubGlobal('OffscreenCanvas', Canvas)
  vi.stubGlobal('VideoFrame', Frame)
}
afterEach(() => void vi.unstubAllGlobals())

const noisy = (level: number, at: number) => (at % 500 === 0 ? level ^ 1 : level)

it.each([
  ['leaves pixels as they are', (level: number) => level],
  ['changes some of them', noisy],
  ['gives none of them', () => 255],
])('reads a canvas where the browser %s', async (_, change) => {
  stubCanvas(change)
  expect(await readCanvas(createContext(2, 1))).toEqual(new Uint8Array(8).fill(9))
})

it('says what to do where the browser changes pixels and has no frames of videos', async () => {
  stubCanvas(noisy)
  vi.stubGlobal('VideoFrame', undefined)
  await expect(readCanvas(createContext(2, 1))).rejects.toMatchObject({
    code: 'internal_error',
    message: expect.stringMatching(/changes the pixels.*allow this page to extract canvas data/),
  })
})

it('refuses to go on with a canvas that the browser has no memory for, of which it says nothing', () => {
  stubCanvas(() => 0)
  expect(() => createContext(4000, 3000)).toThrow(
    expect.objectContaining({ code: 'internal_error', message: expect.stringContaining('no canvas of 4000x3000') }),
  )
})

it.each([
  ['no canvas', undefined],
  [
    'none with pixels',
    class {
      getContext = () => null
    },
  ],
])('says so where the browser has %s in workers', (_, canvas) => {
  vi.stubGlobal('OffscreenCanvas', canvas)
  expect(() => createContext(2, 1)).toThrow(
    expect.objectContaining({ code: 'internal_error', message: expect.stringContaining('no 2D canvas') }),
  )
})
