import { open } from 'node:fs/promises'
import { layOutTensors } from '../../src/models/weights/safetensors-layout.ts'

/** Writes an adapter of 2²⁷ numbers, whose file takes no room on the disk: there is nothing behind its header. */
export async function writeHollowAdapter(path: string): Promise<string> {
  const { prefix, size } = layOutTensors([{ name: 'a.lora_A.weight', dtype: 'F16', shape: [2 ** 10, 2 ** 17] }], {})
  const file = await open(path, 'w')
  await file.writeFile(prefix)
  await file.truncate(size)
  await file.close()
  return path
}
