import { describe, expect, it } from 'vitest'
import {
  amount,
  callback,
  count,
  flag,
  mapOf,
  oneOf,
  optionTable,
  readOption,
  readOptions,
  text,
  withMethods,
} from './index.ts'

const TABLE = optionTable('a kettle', {
  litres: amount(0).default(1),
  heat: amount(0, 100).optional(),
  cups: count(1).optional(),
  minutes: count(1, 60).optional(),
  lid: flag.default(true),
  colour: oneOf(['red', 'blue']).default('red'),
  labels: mapOf('an object of names to texts', text('a text')).optional(),
  whistle: callback<() => void>().optional(),
  stove: withMethods<{ light(): void }>('a stove, with light()', 'light').optional(),
  limits: optionTable('`limits`', { boils: count(1).optional() }).optional(),
})

describe('a table of options', () => {
  it('fills in defaults, also for what is undefined, and passes functions and objects on', () => {
    expect(readOptions(TABLE, { lid: undefined, cups: undefined })).toStrictEqual({
      litres: 1,
      lid: true,
      colour: 'red',
    })
    const stove = { light: () => {} }
    const given = readOptions(TABLE, { stove, litres: Infinity, labels: { a: 'b', c: undefined } })
    expect(given.stove).toBe(stove)
    expect([given.litres, given.labels]).toStrictEqual([Infinity, { a: 'b' }])
  })

  it.each<[unknown, string]>([
    [null, 'options: must be an object, got null'],
    [[], 'options: must be an object, got an array'],
    [{ litre: 2 }, 'litre: is no option of a kettle; those are litres, heat, cups'],
    [{ constructor: 2 }, 'constructor: is no option of a kettle'],
    [{ litres: -1 }, 'litres: must be a number from 0, got -1'],
    [{ litres: NaN }, 'litres: must be a number from 0, got NaN'],
    [{ litres: '2' }, "litres: must be a number from 0, got '2'"],
    [{ heat: 101 }, 'heat: must be a number from 0 to 100, got 101'],
    [{ heat: Infinity }, 'heat: must be a number from 0 to 100, got Infinity'],
    [{ cups: 0 }, 'cups: must be a whole number of 1 or more, got 0'],
    [{ cups: 1.5 }, 'cups: must be a whole number of 1 or more, got 1.5'],
    [{ cups: 2 ** 53 }, 'cups: must be a whole number of 1 or more, got 9007199254740992'],
    [{ cups: null }, 'cups: must be a whole number of 1 or more, got null'],
    [{ minutes: 61 }, 'minutes: must be a whole number from 1 to 60, got 61'],
    [{ lid: 'on' }, "lid: must be true or false, got 'on'"],
    [{ colour: 'x'.repeat(99) }, `colour: must be one of red, blue, got '${'x'.repeat(60)}…'`],
    [{ labels: [] }, 'labels: must be an object of names to texts, got an array'],
    [{ labels: { a: '' } }, "labels.a: must be a text, got ''"],
    [{ labels: { a: { secret: 1 } } }, 'labels.a: must be a text, got an object'],
    [{ whistle: {} }, 'whistle: must be a function, got an object'],
    [{ stove: Promise.resolve({}) }, 'stove: must be a stove, with light(), got a promise: await it first'],
    [{ stove: { light: 1 } }, 'stove: must be a stove, with light(), got an object'],
    [{ stove: () => {} }, 'stove: must be a stove, with light(), got a function'],
    [{ limits: { boil: 1 } }, 'limits.boil: is no option of `limits`; those are boils'],
    [{ limits: { boils: '1' } }, "limits.boils: must be a whole number of 1 or more, got '1'"],
    [{ limits: 5 }, 'limits: must be an object, got 5'],
  ])('refuses %j by name', (options, message) => {
    expect(() => readOptions(TABLE, options)).toThrow(message)
  })
})

it('a single value is refused by the name it is given', () => {
  expect(readOption('--cups', count(1), 3)).toBe(3)
  expect(() => readOption('--cups', count(1), NaN)).toThrow('--cups: must be a whole number of 1 or more, got NaN')
})
