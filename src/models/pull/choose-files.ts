import { AGENT_FILE, JULIA_FILE } from '../configs/model-config.ts'
import { USUAL_WEIGHTS } from '../weights/weight-names.ts'

/** Files at the top of a transformers repository that describe or hold a model; its card names the licence. */
const NEEDED = /^(?:README\.md|[^/]+\.(?:safetensors|safetensors\.index\.json|json|jinja|txt))$/

/** The weights once more in the form of Mistral's own code, which lie beside those that are read. */
const CONSOLIDATED = /^consolidated[\w.-]*\.safetensors(?:\.index\.json)?$/

/** Whether a file is one of a model, by its name. */
export function isNeeded(name: string): boolean {
  return NEEDED.test(name)
}

/**
 * Picks the files of a repository that Tessera reads: configurations, tokenizer and safetensors. A repository in diffusers
 * layout keeps each part in a folder of its own, and often the whole network once more as one file beside them, which is
 * left out, as are example pictures and weights in other formats.
 *
 * @param paths every file of the repository, `/` between folders
 * @param isPipeline whether it is in diffusers layout. @defaultValue where it has the index of one
 */
export function chooseFiles(paths: readonly string[], isPipeline = paths.includes('model_index.json')): string[] {
  // Laya and Julia have their weights at the top, and the configurations of its encoder and its tokenizer in folders.
  if (paths.includes(AGENT_FILE) || paths.includes(JULIA_FILE)) {
    return paths.filter((path) => NEEDED.test(path) || /^(?:encoder|tokenizer)\/[^/]+\.(?:json|txt)$/.test(path))
  }
  if (!isPipeline) {
    const needed = paths.filter((path) => NEEDED.test(path))
    const isTwice = needed.some((path) => USUAL_WEIGHTS.includes(path))
    return isTwice ? needed.filter((path) => !CONSOLIDATED.test(path)) : needed
  }
  return paths.filter((path) => {
    const [folder, ...rest] = path.split('/')
    return rest.length === 0
      ? folder === 'README.md' || folder?.endsWith('.json')
      : rest.length === 1 && NEEDED.test(rest[0] ?? '')
  })
}
