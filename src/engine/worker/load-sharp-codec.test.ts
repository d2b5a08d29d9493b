import { expect, it } from 'vitest'
import { InternalError } from '../../errors/index.ts'
import { loadSharpCodec } from './load-sharp-codec.ts'

it.each([
  [
    'Could not load the "sharp" module using the linux-x64 runtime\nERR_DLOPEN_DISABLED: Cannot load native addon\nPossible solutions: …',
    /: Node was started without native addons\. Start it without --no-addons/,
  ],
  [
    'Could not load the "sharp" module using the linux-x64 runtime\nPossible solutions: …',
    /: Could not load the "sharp" module using the linux-x64 runtime\. Install it for this platform: npm install --include=optional --os=\w+ --cpu=\w+ sharp$/,
  ],
  [
    'Could not load the "sharp" module using the linux-x64 runtime\nERR_DLOPEN_FAILED: /a/sharp.node: failed to map segment\nPossible solutions: …',
    /does not load here: \/a\/sharp\.node: failed to map segment\. Install it for this platform/,
  ],
])('says what keeps sharp from loading, and what helps', async (message, expected) => {
  const cause = new Error(message)
  const loading = loadSharpCodec(() => Promise.reject(cause))
  await expect(loading).rejects.toThrow(InternalError)
  await expect(loading).rejects.toMatchObject({ message: expect.stringMatching(expected), cause })
})
