import { relative } from 'node:path'
import { DownloadFailedError } from '../../errors/index.ts'
import { openFolder } from '../files/model-folder.ts'
import { type PartsManifest, readPartsManifest } from '../parts/parts-manifest.ts'
import type { Hub } from './hub-client.ts'

const FILE = 'tessera.json'
/** More than a list of parts ever has. */
const MOST_BYTES = 2 ** 20

/**
 * What the `tessera.json` of a repository says of where the parts of a pipeline are, by paths in the repository. It decides
 * what is downloaded, so it is read before.
 *
 * @throws ModelFormatError where it is damaged or names what is outside of the repository, DownloadFailedError
 */
export async function readRemoteManifest(hub: Hub, id: string, commit: string): Promise<PartsManifest | undefined> {
  const response = await hub.fetch(`${hub.hubUrl}/${id}/resolve/${commit}/${FILE}`)
  if (!response.ok || !response.body)
    throw new DownloadFailedError(id, `${FILE} is listed, but the hub answered ${response.status} for it`)
  const text = await readText(response.body, id)
  // Nothing of that name is looked for on the disk: paths in the text are meant from there.
  const files = { ...openFolder(id), readText: async () => text }
  const manifest = await readPartsManifest(files, false)
  if (manifest === undefined) return undefined
  const parts = Object.entries(manifest.parts).map(([part, path]) => [part, relative(id, path).replaceAll('\\', '/')])
  return { ...manifest, parts: Object.fromEntries(parts) as PartsManifest['parts'] }
}

async function readText(body: ReadableStream<Uint8Array>, id: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MOST_BYTES) throw new DownloadFailedError(id, `${FILE} is longer than ${MOST_BYTES} bytes`)
  }
  return Buffer.concat(chunks).toString('utf8')
}
