import { readFileSync } from 'node:fs'
import { transformSync } from 'esbuild'
import { PROGRAM_STEPS } from './program-steps.ts'
import type { Step } from './step.ts'

const QUESTIONS = '{"angry":{"type":"noul","instructions":"Is the writer angry?"}}'
const REQUEST = `{
  method: 'POST',
  headers: { authorization: 'Bearer a-long-secret', 'content-type': 'application/json' },
  body: JSON.stringify({ state: 'Where is my parcel?', questions: ${QUESTIONS} }),
}`
const SERVER = `import { createEngine } from 'tessera-onnx'
import { createServer } from 'tessera-onnx/server'
const engine = await createEngine()
const server = createServer({ engine, keys: ['a-long-secret'] })
`
const SAY = `console.log(response.status, await response.text())\nprocess.exit(0)\n`
const ANSWERED = /^200 \{.*"noul"/

/** A handler below /ai of an app that listens, asked once. */
const listening = (app: string) => `${SERVER}${app}
const response = await fetch(\`http://127.0.0.1:\${port}/ai/v1/systemone\`, ${REQUEST})
${SAY}`

/** Blocks of the README that need nothing but the package, as programs. */
function readmeSteps(): Step[] {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const blocks = [...readme.matchAll(/^## (.+)\n[^#]*?^```ts\n([\s\S]*?)^```$/gm)].filter(([, , code]) =>
    code!.includes("from 'tessera-onnx'"),
  )
  return blocks.map(([, heading, code]) => {
    const file = `${heading!.toLowerCase().replaceAll(' ', '-')}.mjs`
    return {
      name: `README: ${heading}`,
      files: { [file]: transformSync(code!, { loader: 'ts' }).code },
      runs: [[file]],
      prints: /\S/,
    }
  })
}

export const STEPS: readonly Step[] = [
  ...readmeSteps(),
  {
    name: 'require',
    files: {
      'required.cjs': `const { decide } = require('tessera-onnx')
decide({ state: 'Where is my parcel?', questions: ${QUESTIONS} }).then(({ answers }) => console.log(answers.angry.noul))`,
    },
    runs: [['required.cjs']],
    prints: /^0\.\d+/,
  },
  {
    name: 'tessera-onnx decide',
    files: {},
    runs: [['node_modules/tessera-onnx/dist/cli.js', 'decide', '-s', 'Where is my parcel?', '-q', QUESTIONS]],
    prints: /angry/,
  },
  {
    name: 'Express',
    packages: ['express'],
    files: {
      'express.mjs': `import express from 'express'
import { once } from 'node:events'
import { toExpressHandler } from 'tessera-onnx/express'
${listening(`const http = express().use('/ai', toExpressHandler(server)).listen(0)
await once(http, 'listening')
const { port } = http.address()`)}`,
    },
    runs: [['express.mjs']],
    prints: ANSWERED,
  },
  {
    name: 'Fastify',
    packages: ['fastify'],
    files: {
      'fastify.mjs': `import fastify from 'fastify'
import { toFastifyPlugin } from 'tessera-onnx/fastify'
${listening(`const app = fastify()
await app.register(toFastifyPlugin(server), { prefix: '/ai' })
await app.listen({ port: 0 })
const { port } = app.server.address()`)}`,
    },
    runs: [['fastify.mjs']],
    prints: ANSWERED,
  },
  {
    name: 'Hono',
    packages: ['hono'],
    files: {
      'hono.mjs': `import { Hono } from 'hono'
import { toHonoHandler } from 'tessera-onnx/hono'
${SERVER}const app = new Hono().all('/ai/*', toHonoHandler(server))
const response = await app.request('/ai/v1/systemone', ${REQUEST})
${SAY}`,
    },
    runs: [['hono.mjs']],
    prints: ANSWERED,
  },
  {
    name: 'esbuild, for Node',
    packages: ['esbuild'],
    files: {
      'bundled.mjs': `import { decide } from 'tessera-onnx'
const { answers } = await decide({ state: 'Where is my parcel?', questions: ${QUESTIONS} })
console.log(answers.angry.noul)`,
      'bundle.mjs': `import { build } from 'esbuild'
await build({
  entryPoints: ['bundled.mjs'], outfile: 'out/bundled.mjs', bundle: true, platform: 'node', format: 'esm', external: ['tessera-onnx'],
})`,
    },
    runs: [['bundle.mjs'], ['out/bundled.mjs']],
    prints: /^0\.\d+/,
  },
  {
    name: 'Vite, a page',
    packages: ['vite'],
    files: {
      'index.html': '<script type="module" src="/page.js"></script>',
      'page.js': `import { createEngine } from 'tessera-onnx/web'
window.engine = createEngine({ runtimeUrl: '/onnxruntime/', modelsUrl: '/models/' })`,
      'vite.config.js': "export default { optimizeDeps: { exclude: ['tessera-onnx'] }, worker: { format: 'es' } }",
      'look.mjs': `import { readdirSync } from 'node:fs'
console.log(readdirSync('dist/assets').join(' '))`,
    },
    runs: [['node_modules/vite/bin/vite.js', 'build'], ['look.mjs']],
    prints: /worker-[\w-]+\.js/,
  },
  ...PROGRAM_STEPS,
]
