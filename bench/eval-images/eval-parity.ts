import { createCpuBackend } from '../../src/backends/index.ts'
import { openImagePipeline } from '../../src/images/index.ts'
import { openFolder, readSafetensors } from '../../src/models/index.ts'
import { generatePicture } from '../../test/helpers/generate-picture.ts'
import { pictureDifference } from '../../test/helpers/picture-difference.ts'
import { readTensorBytes } from '../../test/helpers/read-tensor.ts'
import {
  listReferenceModels,
  type ReferenceModel,
  type ReferenceRun,
  useScheduler,
} from '../../test/helpers/reference-runs.ts'

/*
 * How near pictures of tiny models with random weights are to those that diffusers made of them, as rows of a table in Markdown:
 *
 *     npm run eval:parity
 */

const backend = await createCpuBackend({ threads: 1 })

/** What tells a run from others. */
function describe({ run, sampler }: ReferenceRun): string {
  const { strength, mask, control, scale, guidance } = run
  return [
    ...(sampler ? [sampler.replace(/^FlowMatch|(Discrete|Multistep)?Scheduler$/g, '')] : []),
    ...(control ? [`control of ${control.join('x')}, ${scale}`] : []),
    ...(mask ? ['mask'] : []),
    ...(strength === undefined ? [] : [`strength ${strength}`]),
    ...(guidance > 0 ? [`guidance ${guidance}`] : []),
  ].join(', ')
}

async function measure({ model, runs, materialize }: ReferenceModel): Promise<string[]> {
  const bundle = await materialize()
  const rows: string[] = []
  for (const reference of runs) {
    const { run, request, file, tensor } = reference
    await useScheduler(bundle, run)
    const pipeline = await openImagePipeline({ backend, files: openFolder(bundle.folder) })
    const { data } = await generatePicture(pipeline, request, { turn: async () => {} })
    await pipeline.dispose()
    const wanted = new Uint8Array(readTensorBytes(await readSafetensors(file), tensor))
    const { most, mean, differing } = pictureDifference(data, wanted)
    const figures = [`${(100 * differing).toFixed(3)} %`, mean.toFixed(5), most]
    rows.push(`| ${[model, describe(reference), run.size.join('x'), run.steps, ...figures].join(' | ')} |`)
  }
  await bundle.remove()
  return rows
}

console.log('| model | run | size | steps | levels that differ | mean distance | largest |')
console.log('| --- | --- | --- | ---: | ---: | ---: | ---: |')
for (const model of listReferenceModels()) for (const row of await measure(model)) console.log(row)
await backend.dispose()
