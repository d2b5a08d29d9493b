import { spawn } from 'node:child_process'
import sharp from 'sharp'
import type { PixelImage } from '../../src/images/index.ts'

/** The letters and digits that tesseract reads in a picture, lower-case, or undefined where tesseract isn't installed. */
export async function readWord({ data, width, height }: PixelImage): Promise<string | undefined> {
  const pixels = sharp(data, { raw: { width, height, channels: 3 } })
  const side = 640
  const picture = await pixels
    .resize(side, Math.round((side * height) / width))
    .grayscale()
    .png()
    .toBuffer()
  return new Promise((resolve, reject) => {
    const options = [
      'stdin',
      'stdout',
      '--psm',
      '6',
      '-c',
      'tessedit_char_whitelist=ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
    ]
    const child = spawn('tesseract', options, { stdio: ['pipe', 'pipe', 'ignore'] })
    let text = ''
    child.stdout.on('data', (part: Buffer) => (text += part.toString()))
    child.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(undefined) : reject(error)))
    child.on('close', () => resolve(text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')))
    child.stdin.end(picture)
  })
}
