/** Whether a path is one of a GGUF file, by its name. */
export function isGgufPath(path: string): boolean {
  return /\.gguf$/i.test(path)
}

/** Whether a path is one of a file of weights, by its name. */
export function isWeightsPath(path: string): boolean {
  return isGgufPath(path) || /\.safetensors$/i.test(path)
}
