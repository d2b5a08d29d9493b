import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { withTexts } from '../../../test/helpers/with-texts.ts'
import { readChatTemplate } from '../../models/chat-template.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { loadTokenizer } from '../tokenizer/tokenizer.ts'
import { readChatFormat } from './chat-format.ts'
import { createChatTemplate } from './chat-template.ts'

const TURNS = "{% for m in messages %}{{ '<' + m.role + '>' + m.content + '</>' }}{% endfor %}"

async function readFormat(template: unknown, config: object = {}) {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify({ chat_template: template, ...config }))
  return readChatFormat(await readChatTemplate(openFolder(folder)))
}

describe("a checkpoint's own chat template is what stands around state and question", () => {
  it('with its system turn, its tokens and the beginning of its answer', async () => {
    const template = `{{ bos_token }}${TURNS}{% if add_generation_prompt %}<answer>{% endif %}`
    const { before, after } = await readFormat(template, { bos_token: { content: '<s>' } })
    expect(before).toMatch(/^<s><system>You judge a document\..*<\/><user>Document:\n$/)
    expect(after).toBe('</><answer>')
  })

  it('with every token that the configuration names, as transformers gives them', async () => {
    const template = `{{ sep_token }}{{ image_token }}{{ own }}{{ add_bos_token }}${TURNS}`
    const tokens = { sep_token: '<sep>', image_token: { content: '<img>' }, add_bos_token: true }
    const { before } = await readFormat(template, { ...tokens, extra_special_tokens: { own: '<own>' } })
    expect(before).toMatch(/^<sep><img><own><system>/)
    expect((await readFormat(template, { ...tokens, extra_special_tokens: ['<own>'] })).before).toMatch(
      /^<sep><img><sys/,
    )
  })

  it('which is the default one where there are several, and another is not taken in its place', async () => {
    const tools = { name: 'tool_use', template: `<tools>${TURNS}` }
    const { before } = await readFormat([tools, { name: 'default', template: TURNS }])
    expect(before).toMatch(/^<system>/)
    await expect(readFormat([tools])).rejects.toThrow('a chat_template with the name default, got tool_use')
  })

  it('with the same day whenever it is asked, in English', async () => {
    const template = `{{ date_string }}, {{ strftime_now('%d %b %Y, %A %-d. %B, %Y-%m-%d %H:%M:%S %%') }}${TURNS}`
    const { before } = await readFormat(template)
    expect(before).toMatch(/^26 Jul 2024, 26 Jul 2024, Friday 26\. July, 2024-07-26 00:00:00 %<system>/)
  })

  it.each(['tools', 'documents'])('with %s that are defined and none, as transformers gives them', async (name) => {
    const told = `{% if ${name} is not none %}<${name}>{% endif %}{% if ${name} is not defined %}<undefined>{% endif %}`
    const { before } = await readFormat(`<s>${told}${TURNS}`)
    expect(before).toMatch(/^<s><system>/)
  })

  it.each(['\r\n', '\r'])('with line ends of %j as those of all others, as Jinja reads them', async (end) => {
    const template = `{% if true %}\n<system>\n{% endif %}\n${TURNS}{{ '\n' }}\n`
    expect(await readFormat(template.replaceAll('\n', end))).toEqual(await readFormat(template))
  })

  it('with thinking off where it knows how', async () => {
    const template = `${TURNS}{% if enable_thinking %}<think>{% else %}<think></think>{% endif %}`
    expect((await readFormat(template)).after).toBe('</><think></think>')
  })

  it.each([
    `{% if messages[0].role == 'system' %}{{ raise_exception('no system turn') }}{% endif %}${TURNS}`,
    "{% for m in messages if m.role == 'user' %}<user>{{ m.content | trim }}</>{% endfor %}",
  ])('with the instruction in the user turn where there is no system turn: %#', async (template) => {
    const { before } = await readFormat(template)
    expect(before).toMatch(/^<user>You judge a document\.[^]*\n\nDocument:\n$/)
  })

  it.each([
    ['{{ messages[0].content', 'Jinja'],
    ["{{ raise_exception('never') }}", 'chat template'],
    [`{{ strftime_now('%Q') }}${TURNS}`, 'chat template'],
    ['{% for m in messages %}{{ m.content | upper }}{% endfor %}', 'as it is'],
    [`${TURNS}{{ '<think>' }}`, 'without thought'],
  ])('and refused where none can be rendered: %s', async (template, expected) => {
    await expect(readFormat(template)).rejects.toMatchObject({
      code: 'model_format',
      file: expect.stringContaining('tokenizer_config.json'),
      expected: expect.stringContaining(expected),
    })
  })
})

/** Line ends and blanks are joined with each other and with what stands before them, as in published vocabularies. */
const MERGES = [
  ['Ċ', 'Ċ'],
  ['ĊĊ', 'Ċ'],
  ['č', 'Ċ'],
  ['čĊ', 'čĊ'],
  ['Ġ', 'Ġ'],
  ['ĉ', 'Ċ'],
  ...[':', '.', ')', '}'].flatMap((mark) => [
    [mark, 'Ċ'],
    [mark, 'ĊĊ'],
    [mark, 'ĊĊĊ'],
    [mark, 'čĊ'],
  ]),
] as const

describe('state and question are cut into the tokens of the whole prompt', async () => {
  const files = openFolder(
    fileURLToPath(new URL('../../../test/fixtures/images/klein-base/tokenizer', import.meta.url)),
  )
  const merging = (text: string) => {
    const file = JSON.parse(text)
    for (const [index, pair] of MERGES.entries()) file.model.vocab[pair.join('')] = 100_000 + index
    file.model.merges.push(...MERGES)
    return JSON.stringify(file)
  }
  const tokenizer = await loadTokenizer(withTexts(files, { 'tokenizer.json': merging }))
  const format = readChatFormat(await readChatTemplate(files))
  const template = createChatTemplate(tokenizer, format, {
    symbols: { ids: [], mostOptions: 26, of: () => [], lead: () => [], column: () => 0 },
  })
  const question = { type: 'noul', instructions: 'Is it?' } as const
  const ends = ['', ' ', '  ', '\n', '\n\n', '\n\n\n', '\r\n', '\r\n\r\n', '\t\n', ' \n', '\n ', '\u00a0', '\u0301']
  const bodies = ['', 'It broke.', 'f(x)', '{"a":1}', '…', '12']
  const states = bodies.flatMap((body) => ends.flatMap((begin) => ends.map((end) => `${begin}${body}${end}`)))

  it(`for ${states.length} states that begin and end with blanks and line ends`, () => {
    const differing = states.filter((state) => {
      const text = `${format.before}${state}\n\nQuestion: Is it?\nAnswer with yes or no.${format.after}`
      const { opening, ids } = template.state(state)
      const cut = [...opening, ...ids, ...template.question(question, 100)[0].ids]
      return JSON.stringify(cut) !== JSON.stringify(tokenizer.encodeTemplate(text))
    })
    expect(differing).toEqual([])
  })

  it('and windows behind the first begin as a state does that nothing is joined to', () => {
    const { opening, ids } = template.state('\nIt broke.')
    expect(opening).toEqual(template.opening.slice(0, -1))
    expect(template.state('It broke.')).toEqual({ opening: template.opening, ids: expect.anything() })
    expect([ids[0]]).toEqual(tokenizer.encode(':\n\n'))
  })
})
