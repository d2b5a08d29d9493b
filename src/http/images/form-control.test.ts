import { beforeEach, describe, expect, it } from 'vitest'
import { formSender, picture } from '../test-support/send-form.ts'
import { createStubEngine, type StubEngine } from '../test-support/stub-engine.ts'

let stub: StubEngine
beforeEach(() => {
  stub = createStubEngine()
})

const { send } = formSender(() => stub)

type Field = readonly [name: string, value: string | Blob]

const base64 = (text: string) => Buffer.from(text).toString('base64')

function sendFields(...fields: Field[]) {
  const form = new FormData()
  for (const [name, value] of [['prompt', 'x'], ['image', picture('one')], ...fields] as const) form.append(name, value)
  return send(form)
}

describe('a form', () => {
  it('has a picture to follow as a file or as text, and how closely', async () => {
    await sendFields(['control[image]', picture('edges')], ['control[scale]', '.5'])
    await sendFields(['control[image]', base64('edges')])
    expect(stub.drawn).toMatchObject([
      { image: base64('one'), control: { image: base64('edges'), scale: 0.5 } },
      { image: base64('one'), control: { image: base64('edges'), scale: undefined } },
    ])
  })

  it.each<[string, RegExp, readonly Field[]]>([
    ['a scale and nothing to follow', /^control\.image: /, [['control[scale]', '1']]],
    [
      'a scale in words',
      /^control\.scale: must be a number from 0 to 2/,
      [
        ['control[image]', picture('c')],
        ['control[scale]', 'half'],
      ],
    ],
    [
      'two pictures to follow',
      /^control\.image: must be given once, got 2/,
      [
        ['control[image]', picture('c')],
        ['control[image]', picture('d')],
      ],
    ],
    [
      'a picture to follow under the name of the whole',
      /^control: must be given as control\[image\]/,
      [['control', picture('c')]],
    ],
  ])('with %s is refused', async (_, message, fields) => {
    const { status, body } = await sendFields(...fields)
    expect([status, body.message]).toEqual([422, expect.stringMatching(message)])
    expect(stub.drawn).toEqual([])
  })
})
