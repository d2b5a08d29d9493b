import type { Turns, Wanted } from './wanted.ts'

export type TextTask = keyof ReturnType<typeof listTexts>

const WORDS = 'HELLO SALE OPEN CAT MUSIC ZOO PARTY QUIZ VEX JUMBO KITE WAX FROG DYNAMO BIKE LOUD'.split(' ')
const SMALL = 'hello sale open cat music zebra party quiz vex jumbo kite wax frog dynamo bike loud'.split(' ')
const LONG = 'Birthday Elephant Wonderful Chocolate Telephone Adventure Raspberry Volunteer Fantastic Newspaper'.split(
  ' ',
)
const LONGER = 'Basketball Restaurant Collection Everything Motorcycle Population Discovery2 Helicopter'.split(' ')
const NUMBERS = '2026 42 50 365 A1 ROOM7 7UP 99 1234 TOP10 24H 808'.split(' ')
const PHRASES = ['GO CATS', 'BIG SUN', 'TEA BAR', 'MY DOG', 'ALL IN', 'HI YOU', 'RED CAR', 'NO ICE']
const LINES = 'GOOD NIGHT,HAPPY YEAR,Summer SALE,Hello World,Room 42,open now,JAZZ club,Big Day'.split(',')

/** Prompts of words in quotes, the same every time. */
export function listTexts({ colour, on }: Turns) {
  const list = (words: readonly string[], say = (word: string) => `the word "${word}"`): Wanted[] =>
    words.map((word, i) => ({ prompt: `${say(word)} ${on(i)}`, objects: [], background: colour(i), word }))
  return {
    word: list(WORDS),
    'small letters': list(SMALL),
    'seven to nine letters': list(LONG),
    'ten letters': list(LONGER),
    'coloured word': WORDS.map((word, i) => ({
      prompt: `the word "${word}" in ${colour(i + 4)} letters ${on(i)}`,
      objects: [],
      background: colour(i),
      word,
      ink: colour(i + 4),
    })),
    digits: list(NUMBERS),
    phrase: list(PHRASES, (word) => `a sign that says "${word}"`),
    'two lines': LINES.map((lines, i) => {
      const [word, below] = lines.split(' ') as [string, string]
      return { prompt: `"${word}" above "${below}" ${on(i)}`, objects: [], background: colour(i), word, below }
    }),
  }
}
