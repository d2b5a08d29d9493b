import { noul, TypeSafeClient } from '@typesafe-ai/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNodeServer } from '../../src/http/adapters/node.ts'
import { createServer, type Server } from '../../src/http/index.ts'
import { listen, type Listening } from '../../src/http/test-support/listen.ts'
import { createEngine, type Engine } from '../../src/index.ts'

const LONGEST = 200_000

let engine: Engine
let server: Server
let listening: Listening
beforeAll(async () => {
  engine = await createEngine({ backend: 'cpu', preload: ['decide-latest'] })
  server = createServer({ engine, keys: [{ key: 'k', id: 'me', prepaid: '1000' }] })
  listening = await listen(createNodeServer(server))
})
afterAll(async () => {
  await listening.close()
  await server.close()
  await engine.dispose()
})

/** As it comes: ten seconds a try, three tries. */
const client = () => new TypeSafeClient({ baseURL: listening.url, apiKey: 'k', logLevel: 'off' })

/** Of long words that are one token each, so that a busy machine has read them before the last try gives up. */
function writeProse(): string {
  const words =
    'representatives of international organizations understand responsibility and approximately communicate administrative characteristics'.split(
      ' ',
    )
  let text = ''
  for (let index = 0; text.length < LONGEST; index++) text += `${words[(index * 7 + (index >> 4)) % words.length]} `
  return text.slice(0, LONGEST)
}

async function ask(state: string, tokens: number): Promise<void> {
  const requests = async () => (await server.usage('me')).reduce((sum, row) => sum + row.requests, 0)
  const before = await requests()
  const { answers, usage } = await client().systemOne({
    state,
    questions: { refund: noul('Does the writer want money back?') },
  })
  expect(answers.refund.noul).toBeGreaterThanOrEqual(0)
  // Every window was read, and that once, whichever try it was that got the answer.
  expect(usage.input_tokens).toBeGreaterThan(tokens)
  expect(await requests()).toBe(before + 1)
}

describe('@typesafe-ai/sdk as it comes has an answer of the embedded model to', () => {
  it('a state of 200,000 characters of prose', () => ask(writeProse(), 10_000))

  // Words of more than 100 characters are one unknown token to the model's WordPiece.
  it.each([
    ['one letter', 'a'.repeat(LONGEST)],
    ['emoji', '😀'.repeat(LONGEST)],
  ])('a state of 200,000 characters of one word: %s', (_, state) => ask(state, 0))
})
