import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { buildImage, type CleanRoots, type Image, makeCleanRoots, runInside } from './clean-root.ts'
import { openPod, type Pod } from './pod.ts'
import { bootMachine } from './systemd.ts'

const deployed = (name: string) => readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8')
const KEYS = { TESSERA_API_KEYS: 'secret', TESSERA_METRICS_KEYS: 'prometheus' }

/** Asks the service from beside it, as nothing else can reach it: the status, and the body. */
const ASK = `const [path, key, body] = process.argv.slice(1)
const init = { headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' }, ...(body && { method: 'POST', body }) }
const response = await fetch('http://127.0.0.1:8080' + path, init)
console.log(JSON.stringify({ status: response.status, text: await response.text() }))`
const QUESTIONS = { urgent: { type: 'noul', instructions: 'Is it urgent?' } }
const DECISION = JSON.stringify({ state: 'The parcel is late', questions: QUESTIONS })

// Needs root, debootstrap, systemd-nspawn, a network, and minutes: TESSERA_TEST_ROOT=1 npx vitest run test/clean-root
describe.skipIf(process.env['TESSERA_TEST_ROOT'] !== '1')('in a root of Debian and Node alone', () => {
  let roots: CleanRoots
  let image: Image
  let pod: Pod
  const running: ChildProcess[] = []
  beforeAll(async () => {
    roots = await makeCleanRoots()
    image = await buildImage(roots)
  }, 3_600_000)
  afterAll(() => roots.remove())
  beforeEach(async () => {
    pod = await openPod()
    await pod.prepare(`mount -t proc proc ${image.root}/proc; mount --bind /dev ${image.root}/dev`)
  })
  afterEach(async () => {
    for (const child of running.splice(0)) child.kill('SIGKILL')
    await pod.close()
  })

  const manner = (env = {}) => ({ user: image.user, workdir: image.workdir, env: { ...image.env, ...env } })

  async function serve(command: readonly string[], env: Readonly<Record<string, string>>): Promise<ChildProcess> {
    const service = pod.start(image.root, [...image.entrypoint, ...command], manner(env))
    running.push(service)
    let printed = ''
    for (const stream of [service.stdout!, service.stderr!]) stream.on('data', (chunk) => (printed += String(chunk)))
    await expect.poll(() => printed, { timeout: 120_000 }).toContain('listening on http://0.0.0.0:8080')
    return service
  }

  async function ask(path: string, key = 'secret', body = ''): Promise<Answer> {
    return JSON.parse(
      await pod.run(image.root, ['node', '--input-type=module', '-e', ASK, path, key, body], manner()),
    ) as Answer
  }

  async function end(service: ChildProcess): Promise<number | null> {
    const exit = once(service, 'exit')
    service.kill('SIGTERM')
    return (await exit)[0] as number | null
  }

  async function requests(): Promise<number> {
    const { months } = JSON.parse((await ask('/v1/usage')).text) as { months: { requests: number }[] }
    return months.reduce((sum, row) => sum + row.requests, 0)
  }

  it('the container is healthy, answers, keeps its balances in /data, and ends when it is told to', async () => {
    expect(image.user).toBe('1000')
    const service = await serve(image.command, KEYS)
    await pod.run(image.root, image.health, manner())
    expect(await ask('/v1/systemone', 'secret', DECISION)).toMatchObject({ status: 200 })
    expect((await ask('/v1/systemone', 'other', DECISION)).status).toBe(401)
    expect((await ask('/metrics', 'secret')).status).toBe(403)
    expect((await ask('/metrics', 'prometheus')).text).toContain('tessera_units_total{endpoint="decisions"}')
    expect(await readFile(`/proc/${service.pid}/status`, 'utf8')).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m)
    expect(await end(service)).toBe(0)
    await serve(image.command, KEYS)
    expect(await requests()).toBe(1)
    await expect(pod.run(image.root, ['sh', '-c', 'touch /app/x'], manner())).rejects.toThrow('Permission denied')
  })

  it('has of onnxruntime what this platform loads, and no tools to build with', async () => {
    const binaries = 'find /app/node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 -type d'
    expect((await runInside(image, binaries)).stdout).toMatch(new RegExp(`^\\S+/linux/${process.arch}\n$`))
    expect((await runInside(image, 'ls /')).stdout).not.toContain('build')
    expect((await runInside(image, 'ls /app/node_modules')).stdout.split('\n')).not.toContain('typescript')
  })

  it('the compose file keeps balances when both of its services start again', async () => {
    const { services } = parse(await deployed('compose.yaml')) as Compose
    const debian = { root: join(roots.folder, 'redis'), workdir: '/', env: {} }
    await runInside(
      { ...debian, root: roots.base },
      'apt-get update -q && apt-get install -qy --no-install-recommends redis-server',
    )
    await pod.prepare(`echo '127.0.0.1 redis' >>${image.root}/etc/hosts; mount -t proc proc ${roots.base}/proc`)
    const root = { user: '0', workdir: '/var/lib/redis', env: {} }
    const startRedis = async () => {
      const redis = pod.start(roots.base, services.redis.command, root)
      running.push(redis)
      const isUp = () => pod.run(roots.base, services.redis.healthcheck.test.slice(1), root).catch(() => '')
      await expect.poll(isUp, { timeout: 60_000 }).toBe('PONG\n')
      return redis
    }
    const redis = await startRedis()
    const first = await serve(services.tessera.command, KEYS)
    expect(await ask('/v1/systemone', 'secret', DECISION)).toMatchObject({ status: 200 })
    expect(await end(first)).toBe(0)
    const gone = once(redis, 'exit')
    redis.kill('SIGKILL')
    await gone
    await startRedis()
    const second = await serve(services.tessera.command, KEYS)
    expect(await requests()).toBe(1)
    expect((await ask('/readyz')).status).toBe(200)
    expect(await end(second)).toBe(0)
  })

  it('the pod of the manifests answers its probes with a root that nobody can write to', async () => {
    const [deployment] = parseAllDocuments(await deployed('kubernetes.yaml')).map(
      (document) => document.toJS() as Deployment,
    )
    const { containers, securityContext } = deployment!.spec.template.spec
    const [container] = containers
    expect([String(securityContext.runAsUser), container!.securityContext.readOnlyRootFilesystem]).toEqual([
      image.user,
      true,
    ])
    const mounts = container!.volumeMounts.map(({ mountPath }) => mountPath)
    await mkdir(join(image.root, 'keys'), { recursive: true })
    await writeFile(join(image.root, 'etc/hosts'), '127.0.0.1 localhost\n')
    await pod.prepare(
      [
        `mount --bind ${image.root} ${image.root}`,
        `mount -o remount,bind,ro ${image.root}`,
        ...mounts.map((path) => `mount -t tmpfs -o uid=1000,gid=1000 none ${image.root}${path}`),
        `mount -t proc proc ${image.root}/proc; mount --bind /dev ${image.root}/dev`,
        `echo '{"keys":[{"id":"shop","key":"secret"}]}' >${image.root}/keys/keys.json`,
        `mount -o remount,ro ${image.root}/keys`,
      ].join('\n'),
    )
    // Without a server for balances: a file takes its place.
    const args = container!.args.map((arg) => arg.replace(/^--store=redis:.*/, '--store=/data/usage.db'))
    const service = await serve(args, {})
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const)
      expect([probe, (await ask(container![probe].httpGet.path)).status]).toEqual([probe, 200])
    expect(await ask('/v1/systemone', 'secret', DECISION)).toMatchObject({ status: 200 })
    await expect(pod.run(image.root, ['sh', '-c', 'touch /var/tmp/x'], manner())).rejects.toThrow(
      'Read-only file system',
    )
    const exit = once(service, 'exit')
    service.kill('SIGTERM')
    // While it drains it is not ready, and answers.
    expect((await ask('/readyz')).status).toBe(503)
    expect(await ask('/v1/systemone', 'secret', DECISION)).toMatchObject({ status: 200 })
    expect(await exit).toEqual([0, null])
  })

  it('the unit starts under systemd as a user of its own, starts again after a crash, and keeps what it charged', async () => {
    const machine = await bootMachine(roots, { keys: [{ id: 'shop', key: 'secret' }] })
    const show = async (property: string) =>
      (await machine.run('systemctl', 'show', 'tessera', '--value', '--property', property)).trim()
    const node = '/usr/local/bin/node'
    const ask = async (path: string, body = '') =>
      JSON.parse(await machine.run(node, '--input-type=module', '-e', ASK, path, 'secret', body)) as Answer
    const isReady = () =>
      ask('/readyz').then(
        ({ status }) => status,
        () => 0,
      )
    await expect.poll(isReady, { timeout: 240_000, interval: 2000 }).toBe(200)
    expect(await ask('/v1/systemone', DECISION)).toMatchObject({ status: 200 })
    const status = await machine.run('cat', `/proc/${await show('MainPID')}/status`)
    expect(Number(/^Uid:\t(\d+)/m.exec(status)![1])).toBeGreaterThan(60_000)
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(await machine.run('ls', '/var/lib/tessera/')).toContain('usage.db')
    await machine.run('systemctl', 'kill', '--signal=KILL', 'tessera')
    await expect.poll(() => show('NRestarts'), { timeout: 60_000 }).toBe('1')
    await expect.poll(isReady, { timeout: 240_000, interval: 2000 }).toBe(200)
    const { months } = JSON.parse((await ask('/v1/usage')).text) as { months: { requests: number }[] }
    expect(months).toMatchObject([{ requests: 1 }])
    await machine.run('systemctl', 'stop', 'tessera')
    expect([await show('Result'), await show('ExecMainStatus')]).toEqual(['success', '0'])
    await machine.powerOff()
  }, 3_600_000)
})

interface Answer {
  readonly status: number
  readonly text: string
}

interface Compose {
  readonly services: {
    readonly tessera: { readonly command: string[] }
    readonly redis: { readonly command: string[]; readonly healthcheck: { readonly test: string[] } }
  }
}

interface Deployment {
  readonly spec: { readonly template: { readonly spec: PodSpec } }
}

interface PodSpec {
  readonly securityContext: { readonly runAsUser: number }
  readonly containers: readonly (Record<'startupProbe' | 'livenessProbe' | 'readinessProbe', Probe> & {
    readonly args: readonly string[]
    readonly securityContext: { readonly readOnlyRootFilesystem: boolean }
    readonly volumeMounts: readonly { readonly mountPath: string }[]
  })[]
}

interface Probe {
  readonly httpGet: { readonly path: string }
}
