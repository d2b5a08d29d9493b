import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { operatorsOf } from './operator-case.ts'
import { listCases } from './run-self-test.ts'

const SRC = join(import.meta.dirname, '../..')

/** Of every source file that adds nodes to a graph: its path below src/, the nodes it adds, and their operators. */
async function findNodes() {
  const files = (await readdir(SRC, { recursive: true })).filter((file) => /(?<!\.test)\.ts$/.test(file))
  const read = files.map(async (file) => {
    const text = await readFile(join(SRC, file), 'utf8')
    const operators = [...text.matchAll(/\.node\(\s*'(\w+)'/g)].map(([, operator]) => operator!)
    return { file: file.replaceAll('\\', '/'), count: text.match(/\.node\(/g)?.length ?? 0, operators }
  })
  return (await Promise.all(read)).filter(({ count }) => count > 0)
}

it('adds operators to graphs by the helpers alone, under names that can be read in them', async () => {
  const nodes = await findNodes()
  // What a machine can do is measured on operators that no model uses.
  const others = nodes.filter(({ file }) => !file.startsWith('onnx/ops/') && !file.startsWith('cli/bench/'))
  expect(others).toEqual([])
  expect(nodes.filter(({ count, operators }) => count !== operators.length)).toEqual([])
})

/** Of attention in integers, which graphs for devices never have; processors are tested with it. */
const ON_PROCESSORS = ['MatMulIntegerToFloat', 'Scan']

it('covers every operator that a helper adds', async () => {
  const helpers = (await findNodes()).filter(({ file }) => file.startsWith('onnx/ops/'))
  const added = new Set(helpers.flatMap(({ operators }) => operators))
  expect(added.size).toBeGreaterThan(35)
  const tested = new Set(listCases().flatMap(operatorsOf))
  expect([...added].filter((operator) => !tested.has(operator)).toSorted()).toEqual(ON_PROCESSORS)
})
