/**
 * Whether the app is a single executable: `process.execPath` is the app itself then, whatever file it is given, and starting it would start the
 * app once more, which starts it in its turn.
 */
export function isSingleExecutable(): boolean {
  return process.getBuiltinModule('node:sea')?.isSea() ?? false
}
