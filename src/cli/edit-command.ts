import { readFile } from 'node:fs/promises'
import { defineCommand } from 'citty'
import { InvalidRequestError } from '../errors/index.ts'
import { makePictures, pictureArguments } from './picture-command.ts'
import { runCommand } from './run-command.ts'

export const editCommand = defineCommand({
  meta: { name: 'edit', description: 'Change a picture as words say and write the result as a PNG file' },
  args: {
    image: { type: 'positional', required: true, description: 'picture to change: a PNG, JPEG or WebP file' },
    prompt: { type: 'positional', required: true, description: 'what to change' },
    ...pictureArguments,
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const { prompt } = args
      const image = await readPicture(args.image)
      await makePictures(args, 'beta-klein-4b', (engine, { n, seed, options }) =>
        engine.editImage({ prompt, image, n }, { ...options, seed }),
      )
    }),
})

async function readPicture(path: string): Promise<string> {
  try {
    return await readFile(path, 'base64')
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw new InvalidRequestError('image', `the file ${path} could not be read (${code})`, { cause })
  }
}
