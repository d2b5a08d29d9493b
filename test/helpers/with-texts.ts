import type { ModelFiles } from '../../src/models/files/model-files.ts'

/** What a file says instead of its own: a text, what is made of its own, or undefined where it is not there. */
type Instead = string | undefined | ((text: string) => string)

/** The same files, of which those of these names say something else. */
export function withTexts(files: ModelFiles, texts: Readonly<Record<string, Instead>>): ModelFiles {
  return {
    ...files,
    async readText(name) {
      const instead = texts[name]
      if (!Object.hasOwn(texts, name)) return files.readText(name)
      if (typeof instead !== 'function') return instead
      const text = await files.readText(name)
      return text && instead(text)
    },
  }
}
