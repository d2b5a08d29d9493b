import { defineCommand } from 'citty'
import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import { readOptionalNumber } from '../read-number.ts'
import { runCommand } from '../run-command.ts'
import { makePictures, pictureArguments } from './picture-command.ts'
import { readPicture } from './read-picture.ts'

export const editCommand = defineCommand({
  args: {
    image: { type: 'positional', required: true, description: 'picture to change: a PNG, JPEG or WebP file' },
    prompt: { type: 'positional', required: true, description: 'what to change' },
    mask: {
      type: 'string',
      description: 'picture of the same size; only what is white or transparent changes',
      valueHint: 'file',
    },
    strength: {
      type: 'string',
      description: 'how much to change, above 0 to 1: the share of the steps that are taken',
      valueHint: 'x',
    },
    ...pictureArguments,
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const { prompt } = args
      const image = await readPicture('image', args.image)
      const mask = args.mask === undefined ? undefined : await readPicture('mask', args.mask)
      const strength = readOptionalNumber('--strength', args.strength)
      await makePictures(args, DEFAULT_MODELS.editImage, (engine, { n, seed, options }) =>
        engine.editImage({ prompt, image, mask, n }, { ...options, seed, strength }),
      )
    }),
})
