import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { InvalidRequestError } from '../../errors/index.ts'
import { readOptionalConfig } from '../configs/read-config.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { writeWhole } from '../files/write-whole.ts'

const NAME = 'pull.json'

const schema = z.object({
  id: z.string(),
  revision: z.string(),
  /** The commit that it was begun with, which is gone on with where the revision has moved. */
  commit: z.string(),
  bits: z.number(),
  block_size: z.union([z.number(), z.literal('row')]),
})

/** What a folder in which a model is put together is being made of. */
export type PullState = z.infer<typeof schema>

/**
 * What the folder was begun with, if it was.
 *
 * @throws InvalidRequestError where that is something else than is wanted now
 */
export async function readState(work: ModelFiles, wanted: Omit<PullState, 'commit'>): Promise<PullState | undefined> {
  const state = await readOptionalConfig(work, NAME, schema, 'what an earlier pull was begun with')
  if (state === undefined || describe(state) === describe(wanted)) return state
  throw new InvalidRequestError(
    'out',
    `${work.location} has an unfinished pull of ${describe(state)}, not of ${describe(wanted)}; finish that one, remove the folder or choose another --out`,
  )
}

export async function writeState(folder: string, state: PullState): Promise<void> {
  await mkdir(folder, { recursive: true })
  // A process that is killed meanwhile leaves the old one or the new one.
  await writeWhole(join(folder, NAME), JSON.stringify(state))
}

function describe({ id, revision, bits, block_size: block }: Omit<PullState, 'commit'>): string {
  return `${id}@${revision} in ${bits} bits and blocks of ${block}`
}
