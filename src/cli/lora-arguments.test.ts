import { expect, it } from 'vitest'
import { readLoras, readNamedLoras } from './lora-arguments.ts'

it.each([
  [undefined, []],
  ['./ink.safetensors', [{ path: './ink.safetensors' }]],
  [
    './ink.safetensors:0.8,owner/name:-2',
    [
      { path: './ink.safetensors', scale: 0.8 },
      { path: 'owner/name', scale: -2 },
    ],
  ],
  ['C:\\ink:.5,C:\\ink', [{ path: 'C:\\ink', scale: 0.5 }, { path: 'C:\\ink' }]],
])('adapters of %j', (text, expected) => {
  expect(readLoras(text)).toEqual(expected)
})

it('adapters of names, of which one may have several', () => {
  expect(readNamedLoras('a=./x:2,b=./y,a=./z')).toEqual({
    a: [{ path: './x', scale: 2 }, { path: './z' }],
    b: [{ path: './y' }],
  })
  expect(() => readNamedLoras('./x')).toThrow('--lora: must be name=path[:scale]')
})
