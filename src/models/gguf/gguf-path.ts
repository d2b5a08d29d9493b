/** Whether a path is one of a GGUF file, by its name. */
export function isGgufPath(path: string): boolean {
  return /\.gguf$/i.test(path)
}
