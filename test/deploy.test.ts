import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { serveArguments } from '../src/cli/serve-arguments.ts'
import { createServer } from '../src/http/index.ts'
import { get } from '../src/http/test-support/requests.ts'
import { createStubEngine } from '../src/http/test-support/stub-engine.ts'

const read = (name: string) => readFileSync(new URL(`../deploy/${name}`, import.meta.url), 'utf8')
const FILES = ['Dockerfile', 'compose.yaml', 'tessera.service', 'kubernetes.yaml'] as const

/** What belongs to other programs than tessera. */
const withoutOthers = (text: string) =>
  text
    .split('\n')
    .filter((line) => !/^\s*#|redis-server|npm |FROM |COPY |HEALTHCHECK|apt-get/.test(line))
    .join('\n')

const flagsOf = (name: string) => [...withoutOthers(read(name)).matchAll(/--([a-z][a-z-]*)/g)].map(([, flag]) => flag!)

function seconds(text: string, pattern: RegExp): number {
  const [, value] = pattern.exec(text) ?? []
  expect([String(pattern), value]).toEqual([String(pattern), expect.any(String)])
  return Number(value)
}

describe.each(FILES)('deploy/%s', (name) => {
  it('gives flags that tessera serve has, once each', () => {
    const flags = flagsOf(name)
    expect(flags).toEqual(expect.arrayContaining(['host', 'port', 'store', 'journal', 'preload']))
    expect(flags.filter((flag) => !Object.hasOwn(serveArguments, flag))).toEqual([])
    expect(flags).toEqual([...new Set(flags)])
  })

  it('listens where it is looked for', () => {
    const [, port] = /--port[=", ]+(\d+)/.exec(read(name))!
    const named = [...read(name).matchAll(/(?:EXPOSE|containerPort:|127\.0\.0\.1:|- )\s*(\d{4})\b/g)].map(
      ([, one]) => one,
    )
    expect(new Set([port, ...named])).toEqual(new Set(['8080']))
  })
})

it('asks for paths that are there without a key', async () => {
  const { fetch } = createServer({ engine: createStubEngine().engine, keys: ['k'] })
  const paths = [
    ...[...read('kubernetes.yaml').matchAll(/path: (\/\w+)\n\s+port/g)].map(([, path]) => path!),
    ...[...read('Dockerfile').matchAll(/8080(\/\w+)'/g)].map(([, path]) => path!),
  ]
  expect(paths).toEqual(['/livez', '/livez', '/readyz', '/livez'])
  for (const path of paths) expect([path, (await fetch(get(path))).status]).toEqual([path, 200])
})

it('waits for the end of the service longer than its grace is', () => {
  const grace = (text: string) => seconds(text, /--grace[ =](\d+)s/)
  const kubernetes = read('kubernetes.yaml')
  expect(seconds(kubernetes, /terminationGracePeriodSeconds: (\d+)/)).toBeGreaterThan(grace(kubernetes))
  expect(grace(kubernetes)).toBeGreaterThan(seconds(kubernetes, /--drain=(\d+)s/))
  expect(seconds(read('compose.yaml'), /stop_grace_period: (\d+)s/)).toBeGreaterThan(grace(read('compose.yaml')))
  expect(seconds(read('tessera.service'), /TimeoutStopSec=(\d+)s/)).toBeGreaterThan(grace(read('tessera.service')))
})

it('has keys everywhere, as a service that others can reach makes none itself', () => {
  expect(read('compose.yaml')).toContain('TESSERA_API_KEYS')
  for (const name of ['tessera.service', 'kubernetes.yaml']) expect(flagsOf(name)).toContain('keys-file')
})

it('sets Redis as balances need it', () => {
  expect(read('compose.yaml')).toMatch(/--appendonly, ['"]yes['"], --maxmemory-policy, noeviction/)
})

it('starts the program that the package has, as no root', () => {
  const { bin } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    bin: { tessera: string }
  }
  expect(read('Dockerfile')).toContain(`/app/node_modules/tessera-onnx/${bin.tessera.replace('./', '')}"`)
  expect(read('Dockerfile')).toMatch(/^USER [1-9]\d*$/m)
  expect(read('kubernetes.yaml')).toContain('runAsNonRoot: true')
})
