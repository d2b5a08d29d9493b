/** What a file of an app has in it that may be compiled to a module or to CommonJS: all that Node imports, nothing awaited outside. */
export const TYPED_FUNCTION = `import {
  AbortedError, createEngine, type DecisionResponse, decide, editImage, generateImage, type ImageResponse, writeImage,
} from 'tessera-onnx'
import { LIMITS } from 'tessera-onnx/schemas'
import { createServer } from 'tessera-onnx/server'
import { toExpressHandler } from 'tessera-onnx/express'
import { toNextHandlers } from 'tessera-onnx/next'
import { createNodeServer, toNodeListener } from 'tessera-onnx/node'

export async function answer(): Promise<'billing' | 'tech'> {
  const { answers } = await decide({
    state: { text: 'Where is my money?', received: new Date() },
    questions: { team: { type: 'choice', criteria: { billing: 'Money', tech: null } } },
  })
  return answers.team.choice
}

export async function draw(): Promise<ImageResponse> {
  const { data } = await generateImage({ prompt: 'an apple on a blue background', n: 2 })
  const png: string = data[0].b64_json
  await writeImage('apple.png', data[0])
  return editImage({ prompt: 'change the background to yellow', image: png })
}

export async function serve(): Promise<void> {
  const engine = await createEngine({ models: { 'decide-latest': './model' } })
  const server = createServer({ engine, keys: ['a-long-secret'] })
  createNodeServer(server).listen(0)
  void [toExpressHandler(server), toNextHandlers(server), toNodeListener(server), LIMITS.questions.max]
}

export function nameOf(error: unknown): 'AbortError' | undefined {
  return AbortedError.isInstance(error) ? error.name : undefined
}

export const response: DecisionResponse | undefined = undefined

answer().then((team) => console.log(team))
`
