import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../cli/examples.ts'
import { findNothingNamed } from './nothing-named.ts'
import { findObjectColors, type OwnColors } from './object-colors.ts'
import { findUnknownWords } from './unknown-words.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
const { known_words, edit_words, objects, synonyms, own_colors } = JSON.parse(
  read('models/image-mini/tessera.json'),
) as {
  known_words: string[]
  edit_words: string[]
  objects: string[]
  synonyms: Record<string, string>
  own_colors: OwnColors
}
const known = { known_words, edit_words, synonyms }

describe('words that a small model does not know', () => {
  it('are named once each, in the order of the prompt', () => {
    const [warning, ...others] = findUnknownWords('A woman riding a lighthouse, woman!', false, known)
    expect(others).toEqual([])
    expect(warning).toMatchObject({ code: 'unknown_words', path: 'prompt' })
    expect(warning!.message).toContain('not woman, riding, lighthouse;')
  })

  it('are not those to be written, nor those of a model that knows language', () => {
    expect(findUnknownWords('"ZEBRA" in red serif letters on a “Zürich” blue background.', false, known)).toEqual([])
    expect(findUnknownWords('a woman riding a lighthouse', false, {})).toEqual([])
    expect(findUnknownWords('', false, known)).toEqual([])
  })

  it('are named up to ten, and counted beyond', () => {
    const [warning] = findUnknownWords(Array.from({ length: 12 }, (_, index) => `word${index}`).join(' '), false, known)
    expect(warning!.message).toContain('word9 and 2 more;')
  })

  it('are cut where they are long, as in writing without spaces', () => {
    const [warning] = findUnknownWords(`an apple ${'苹'.repeat(2800)} ${'x'.repeat(30)}`, false, known)
    expect(warning!.message).toContain(`not ${'苹'.repeat(30)}…, ${'x'.repeat(30)};`)
  })

  it('are also those of edits where a picture is asked for, numbers beyond five, and emoji', () => {
    const named = (prompt: string, isEdit = false) =>
      findUnknownWords(prompt, isEdit, known).map(({ message }) => / and not (.+?);/.exec(message)?.[1])
    expect(named('a cat and no dog')).toEqual(['no'])
    expect(named('one apple')).toEqual(['one'])
    expect(named('no dog', true)).toEqual([])
    expect(named('9 apples and an old car')).toEqual(['9, old'])
    expect(named('two 🍎🍎 and a ❤️')).toEqual(['🍎, ❤'])
    expect(named("the dog's apple, a cat’s hat")).toEqual([])
  })

  it('are drawn as the object they stand for where there is one, which is said', () => {
    const [warning, ...others] = findUnknownWords('a puppy next to two bunnies', false, known)
    expect(others).toEqual([])
    expect(warning!.message).toContain('few words, and draws puppy as dog, bunnies as rabbits;')
    expect(findUnknownWords('a woman with a puppy', false, known)[0]!.message).toContain(
      'not woman, and draws puppy as dog;',
    )
    for (const [word, object] of Object.entries(synonyms)) {
      expect(known_words).not.toContain(word)
      expect(known_words).toEqual(expect.arrayContaining(object.split(' ')))
    }
  })

  it('are in none of the prompts that the documents, the command line and the console suggest', () => {
    const documents = [
      'README.md',
      'src/engine/engine.ts',
      'src/engine/default-engine.ts',
      'src/schemas/image-types.ts',
    ]
    const prompts = documents.flatMap((path) =>
      [...read(path).matchAll(/prompt: '([^']+)'/g)].map(([, prompt]) => prompt!),
    )
    const commands = [...EXAMPLES['tessera-onnx']!, ...EXAMPLES.generate!, ...EXAMPLES.edit!]
    const own = commands.filter((command) => !command.includes('--use'))
    prompts.push(...own.flatMap((command) => /^(?:generate|edit \S+) "([^"]+)"/.exec(command)?.[1] ?? []))
    prompts.push(
      ...[...read('src/console/page.html').matchAll(/id="\w+-prompt"[^>]*>([^<]+)</g)].map(([, prompt]) => prompt!),
    )
    expect(prompts.length).toBeGreaterThan(12)
    const isEdit = (prompt: string) => /^(?:change|make|turn|replace|add|remove|move|combine)/.test(prompt)
    expect(prompts.filter((prompt) => findUnknownWords(prompt, isEdit(prompt), known).length > 0)).toEqual([])
    expect(prompts.filter((prompt) => !isEdit(prompt) && findNothingNamed(prompt, objects).length > 0)).toEqual([])
    expect(prompts.filter((prompt) => findObjectColors(prompt, own_colors).length > 0)).toEqual([])
  })
})
