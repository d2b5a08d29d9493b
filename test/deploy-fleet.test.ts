import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { serveArguments } from '../src/cli/serve/serve-arguments.ts'
import { workerArguments } from '../src/cli/worker/worker-command.ts'
import { createServer } from '../src/http/index.ts'
import { get } from '../src/http/test-support/requests.ts'
import { createStubEngine } from '../src/http/test-support/stub-engine.ts'

const read = (name: string) => readFileSync(new URL(`../deploy/${name}`, import.meta.url), 'utf8')

interface Service {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  readonly stop_grace_period: string
}

interface Resource {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly { readonly args: readonly string[] }[]
      }
    }
    readonly scaleTargetRef: { readonly name: string }
    readonly triggers: readonly { readonly metadata: { readonly query: string } }[]
  }
}

const { front, worker } = (parse(read('fleet-compose.yaml')) as { services: Record<'front' | 'worker', Service> })
  .services
const resources = parseAllDocuments(read('fleet-kubernetes.yaml')).map((document) => document.toJS() as Resource)
const deployments = resources.filter(({ kind }) => kind === 'Deployment')
const scaled = resources.filter(({ kind }) => kind === 'ScaledObject')

const flagsOf = (command: readonly string[]) => command.slice(1).map((argument) => /^--([a-z-]+)=/.exec(argument)?.[1])
const graceOf = (command: readonly string[]) => Number(/--grace=(\d+)s/.exec(command.join(' '))![1])

describe('deploy/fleet-compose.yaml', () => {
  it('gives flags that the commands have', () => {
    expect([front.command[0], worker.command[0]]).toEqual(['serve', 'worker'])
    expect(flagsOf(front.command).filter((flag) => !Object.hasOwn(serveArguments, flag ?? ''))).toEqual([])
    expect(flagsOf(worker.command).filter((flag) => !Object.hasOwn(workerArguments, flag ?? ''))).toEqual([])
  })

  it('has one queue for all, and keys that seal it', () => {
    const queues = [front, worker].map(({ command }) => command.find((argument) => argument.startsWith('--queue=')))
    expect(new Set(queues).size).toBe(1)
    for (const { environment } of [front, worker]) expect(environment).toHaveProperty('TESSERA_QUEUE_KEYS')
  })

  it('waits longer than the grace is', () => {
    for (const { command, stop_grace_period: wait } of [front, worker]) {
      expect(Number.parseInt(wait, 10)).toBeGreaterThan(graceOf(command))
    }
  })
})

describe('deploy/fleet-kubernetes.yaml', () => {
  it('gives flags that tessera worker has, and waits longer than the grace is', () => {
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['tessera-worker-cpu', 'tessera-worker-cuda'])
    for (const { spec } of deployments) {
      const { containers, terminationGracePeriodSeconds } = spec.template.spec
      const { args } = containers[0]!
      expect(args[0]).toBe('worker')
      expect(flagsOf(args).filter((flag) => !Object.hasOwn(workerArguments, flag ?? ''))).toEqual([])
      expect(terminationGracePeriodSeconds).toBeGreaterThan(graceOf(args))
    }
  })

  it('scales what is there by metrics that are there', async () => {
    expect(scaled.map(({ spec }) => spec.scaleTargetRef.name)).toEqual(deployments.map(({ metadata }) => metadata.name))
    const text = await (await createServer({ engine: createStubEngine().engine }).fetch(get('/metrics'))).text()
    for (const { spec } of scaled) {
      const [, name, queue] = /(\w+)\{queue="(\w+)"\}/.exec(spec.triggers[0]!.metadata.query)!
      expect(text).toContain(`# TYPE ${name} gauge`)
      expect(['decide', 'images']).toContain(queue)
    }
  })
})
