import { defineCommand } from 'citty'
import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import { runCommand } from '../run-command.ts'
import { makePictures, pictureArguments } from './picture-command.ts'

export const generateCommand = defineCommand({
  args: {
    prompt: { type: 'positional', required: true, description: 'what to draw; words to be written there in quotes' },
    size: { type: 'string', description: 'pixels, 16 to 2048 each; default 1024x1024', valueHint: 'WxH' },
    ...pictureArguments,
  },
  run: (context) =>
    runCommand(context, async ({ args }) => {
      const { prompt, size } = args
      await makePictures(args, DEFAULT_MODELS.generateImage, (engine, { n, seed, options }) =>
        engine.generateImage({ prompt, size, n, seed }, options),
      )
    }),
})
