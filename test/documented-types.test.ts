import { beforeAll, describe, expect, it } from 'vitest'
import {
  compileExamples,
  type Documented,
  type PublicSymbol,
  readPublicSymbols,
  readTypeNames,
} from './helpers/public-types.ts'

/** What a caller writes or reads field by field: requests, answers, options, and what has methods. */
const WITH_EXAMPLES = [
  'index.ts DecisionRequestInput',
  'index.ts NoulQuestionInput',
  'index.ts ChoiceQuestionInput',
  'index.ts ScoreQuestionInput',
  'index.ts ImageGenerationRequestInput',
  'index.ts ImageEditRequestInput',
  'index.ts EditImageRequest',
  'index.ts DecisionResponse',
  'index.ts NoulAnswer',
  'index.ts ChoiceAnswer',
  'index.ts ScoreAnswer',
  'index.ts ImageResponse',
  'index.ts ImageData',
  'index.ts Warning',
  'index.ts TokenCount',
  'index.ts Progress',
  'index.ts Engine',
  'index.ts EngineOptions',
  'index.ts CallOptions',
  'index.ts LoadOptions',
  'index.ts DecideManyOptions',
  'index.ts DecisionOutcome',
  'index.ts ImageCallOptions',
  'index.ts EditImageCallOptions',
  'index.ts EvaluateOptions',
  'index.ts CalibrateOptions',
  'index.ts OwnCalibration',
  'index.ts ParseSettings',
  'http/index.ts Server',
  'http/index.ts ServerOptions',
  'http/index.ts KeyConfig',
  'http/index.ts RequestLog',
  'http/index.ts JobOptions',
  'http/index.ts RateLimits',
  'http/index.ts Price',
  'http/index.ts Prices',
  'http/index.ts RedisStoreOptions',
  'queue/index.ts ConnectionOptions',
  'queue/index.ts QueueEngineOptions',
  'queue/index.ts WorkerOptions',
  'http/adapters/node.ts NodeTimeouts',
  'web/index.ts WebEngineOptions',
  'ai-sdk/index.ts TesseraProvider',
  'ai-sdk/index.ts TesseraProviderSettings',
]

/** What examples use without saying where it comes from. */
const PRELUDE = [
  "import { createServer, createKeyStore, createMemoryStore, openRedisStore, openSqliteStore } from '../src/http/index.ts'",
  "import { createQueueEngine, openJobStore, runWorker } from '../src/queue/index.ts'",
  "import { toExpressErrorHandler, toExpressHandler } from '../src/http/adapters/express.ts'",
  "import { toFastifyPlugin } from '../src/http/adapters/fastify.ts'",
  "import { toHonoHandler } from '../src/http/adapters/hono.ts'",
  "import { toNextHandlers } from '../src/http/adapters/next.ts'",
  "import { createNodeServer, toNodeListener } from '../src/http/adapters/node.ts'",
  "import { createEngine as createWebEngine } from '../src/web/index.ts'",
  "import { createTessera, type TesseraProviderOptions } from '../src/ai-sdk/index.ts'",
  "import { generateImage as generateSdkImage } from 'ai'",
  "import express from 'express'",
  "import fastify from 'fastify'",
  "import { Hono } from 'hono'",
  "import { createHash } from 'node:crypto'",
  "import { readFile, writeFile } from 'node:fs/promises'",
  "import http from 'node:http'",
  "import { pathToFileURL } from 'node:url'",
  'declare const engine: Engine, request: DecisionRequestInput, rows: readonly LabelledRow[]',
  'declare const connection: string',
]

let symbols: readonly PublicSymbol[]
let all: readonly Documented[]
beforeAll(() => {
  symbols = readPublicSymbols()
  all = symbols.flatMap((symbol) => [symbol, ...symbol.members])
})
const names = (some: readonly Documented[]) => some.map(({ name }) => name)

describe('everything that apps can import, and every member of it', () => {
  it('says what it is', () => {
    expect(all.length).toBeGreaterThan(400)
    expect(names(all.filter(({ text }) => text.length < 10))).toEqual([])
  })
})

it('has every type of an engine in browsers too, except for options of one in Node', () => {
  const [ofEngines, ofPages] = readTypeNames('engine/index.ts', 'web/index.ts')
  expect(ofEngines!.length).toBeGreaterThan(15)
  expect(ofEngines!.filter((name) => !ofPages!.includes(name))).toEqual(['KeepStates', 'EngineOptions'])
})

describe('every function, and every field of requests, answers and options', () => {
  const ofCallers = () =>
    symbols.flatMap((symbol) => [
      ...(symbol.isFunction ? [symbol] : []),
      ...(WITH_EXAMPLES.includes(symbol.name) ? symbol.members : []),
    ])

  it('has an example', () => {
    expect(WITH_EXAMPLES.filter((name) => !names(symbols).includes(name))).toEqual([])
    const lacking = ofCallers().filter(({ examples }) => !examples.some((code) => code !== ''))
    expect(names(lacking)).toEqual([])
  })

  it('has examples that compile', () => {
    const imported = symbols.flatMap(({ name }) => /^index\.ts (.+)$/.exec(name)?.[1] ?? [])
    const examples = all.flatMap((one) => {
      // One function of that name is for Node, another for browsers.
      const own = /^web\b/.test(one.file) ? 'const createEngine = createWebEngine\n' : ''
      return [...new Set(one.examples)].map((code) => `/* ${one.name} */ {\n${own}${code}\n}`)
    })
    expect(examples.length).toBeGreaterThan(150)
    const source = [`import { ${imported.join(', ')} } from '../src/index.ts'`, ...PRELUDE, ...examples].join('\n')
    const faults = compileExamples(source).map(({ start, message }) => {
      const [, name] = /.*\/\* ([^*]+) \*\/ \{/s.exec(source.slice(0, start + 1)) ?? []
      return `${name ?? 'prelude'}: ${message}`
    })
    expect(faults).toEqual([])
  })
})
