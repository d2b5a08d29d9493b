import { readFile, writeFile } from 'node:fs/promises'

/** Appends a tensor of one float to a `.safetensors` file. */
export async function addTensor(path: string, name: string): Promise<void> {
  const file = await readFile(path)
  const start = 8 + Number(file.readBigUInt64LE())
  const header = JSON.parse(file.subarray(8, start).toString())
  const end = file.length - start
  header[name] = { dtype: 'F32', shape: [1], data_offsets: [end, end + 4] }
  const json = Buffer.from(JSON.stringify(header))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(json.length))
  await writeFile(path, Buffer.concat([length, json, file.subarray(start), Buffer.alloc(4)]))
}
