import { expect, it } from 'vitest'
import { readServed } from './served-models.ts'

it.each([
  [undefined, {}],
  ['owner/name', { 'decide-latest': 'owner/name' }],
  ['decide-latest=a, mine=./b=c', { 'decide-latest': 'a', mine: './b=c' }],
  [' a , mine = b ', { 'decide-latest': 'a', mine: 'b' }],
])('reads %j', (use, served) => {
  expect(readServed(use)).toEqual(served)
})

it.each([
  ['a,b', /^--use: names decide-latest twice, with a and b; /],
  ['a,decide-latest=b', /^--use: names decide-latest twice, with a and b; /],
  ['mine=a, mine=b', /^--use: names mine twice/],
  ['', /^--use: must be model or name=model .*, got ''$/],
  ['a,', /got ''$/],
  ['=a', /got '=a'$/],
  ['mine= ,a', /got 'mine='$/],
])('refuses %j', (use, message) => {
  expect(() => readServed(use)).toThrow(message)
})
