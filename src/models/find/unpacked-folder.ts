import { existsSync } from 'node:fs'

/**
 * The same folder outside of an archive of Electron, where the app has unpacked it. Electron shows unpacked files inside the
 * archive too, but to JavaScript alone: onnxruntime's native code cannot open them there.
 */
export function unpackedFolder(folder: string): string {
  const unpacked = folder.replace(/\.asar(?=[\\/])/, '.asar.unpacked')
  return existsSync(unpacked) ? unpacked : folder
}
