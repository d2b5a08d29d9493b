import type { ModelFiles } from './files/model-files.ts'
import { CONTROLNET, PIPELINE_PARTS } from './pipeline-parts.ts'
import { USUAL_WEIGHTS } from './weights/weight-names.ts'

/** Parts of a pipeline that have weights: those that all have, and its ControlNet. */
export async function listParts(
  files: ModelFiles,
): Promise<readonly ((typeof PIPELINE_PARTS)[number] | typeof CONTROLNET)[]> {
  return (await hasPart(files.within(CONTROLNET.folder))) ? [...PIPELINE_PARTS, CONTROLNET] : PIPELINE_PARTS
}

/** Weights without a configuration are there too, and refused for what they lack. */
export async function hasPart(folder: ModelFiles): Promise<boolean> {
  if ((await folder.readText('config.json')) !== undefined) return true
  for (const name of USUAL_WEIGHTS) {
    const found = name.endsWith('.json') ? folder.readText(name) : folder.findWeights(name)
    if ((await found) !== undefined) return true
  }
  return false
}
