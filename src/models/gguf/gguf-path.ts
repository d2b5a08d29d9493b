/** Of a divided file the first part stands for all. */
export const LATER_PART = /-(?!00001-of-)\d{5}-of-\d{5}\.gguf$/i

/** Whether a path is one of a GGUF file, by its name. */
export function isGgufPath(path: string): boolean {
  return /\.gguf$/i.test(path)
}

/** Whether a path is one of a file of weights, by its name. */
export function isWeightsPath(path: string): boolean {
  return isGgufPath(path) || /\.safetensors$/i.test(path)
}
