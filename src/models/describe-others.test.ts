import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { openFolder } from './files/model-folder.ts'
import { readTokenizerFile } from './read-tokenizer-file.ts'
import { indexWeights } from './weights/index-weights.ts'

let work: string
beforeEach(() => void (work = temporaryFolder()))

const COMMAND = 'npx tessera-onnx pull owner/some--name'
const readTokenizer = (folder: string) => readTokenizerFile(openFolder(folder), z.unknown(), 'a tokenizer')

describe('of a model of which other tools have downloaded some files only', () => {
  let snapshot: string
  beforeEach(async () => {
    snapshot = join(work, 'models--owner--some--name/snapshots/abc')
    await mkdir(snapshot, { recursive: true })
    await writeFile(join(snapshot, 'config.json'), '{}')
  })

  it('an error says what fetches the rest', async () => {
    await expect(indexWeights(openFolder(snapshot))).rejects.toMatchObject({ got: `none of them: ${COMMAND}` })
    await expect(readTokenizer(snapshot)).rejects.toMatchObject({ got: `no weights beside it either: ${COMMAND}` })
    await writeFile(join(snapshot, 'model.safetensors.index.json'), '{"weight_map":{"a":"model-1.safetensors"}}')
    await expect(indexWeights(openFolder(snapshot))).rejects.toMatchObject({ got: `no such file: ${COMMAND}` })
  })

  it('a tokenizer that is missing beside weights is made, as the repository may have none', async () => {
    await writeFile(join(snapshot, 'model.safetensors'), '')
    await expect(readTokenizer(snapshot)).rejects.toThrow('AutoTokenizer')
  })

  it('so is one that is missing in a folder of its own, where weights never lie', async () => {
    const tokenizer = join(snapshot, 'tokenizer')
    await mkdir(tokenizer)
    await expect(readTokenizer(tokenizer)).rejects.toThrow('AutoTokenizer')
  })
})

it('of a folder elsewhere nothing is said of the hub', async () => {
  await expect(indexWeights(openFolder(work))).rejects.toMatchObject({ got: 'none of them' })
  await expect(readTokenizer(work)).rejects.toThrow('AutoTokenizer')
})
