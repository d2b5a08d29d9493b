import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Gives the shards of a part, and their index, the names that diffusers saves a variant by. */
export async function asVariant(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const variant = name.replace(/-(\d)-of-(\d)\./, '.fp16-0000$1-of-0000$2.').replace('index.json', 'index.fp16.json')
    if (variant === name) continue
    const text = name.endsWith('.json') ? await readFile(join(folder, name), 'utf8') : undefined
    await rename(join(folder, name), join(folder, variant))
    const named = text?.replaceAll(/-(\d)-of-(\d)\./g, '.fp16-0000$1-of-0000$2.')
    if (named !== undefined) await writeFile(join(folder, variant), named)
  }
}
