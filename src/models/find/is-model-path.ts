import { isAbsolute } from 'node:path'

/** Whether a model or adapter is named by its path, which begins with `/`, `./`, `../` or a drive, and not by an id. */
export function isModelPath(name: string): boolean {
  return isAbsolute(name) || /^\.{1,2}[\\/]/.test(name)
}
