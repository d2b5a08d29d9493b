import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { npmCommand } from './npm.ts'

const ROOT = join(import.meta.dirname, '../..')
const run = promisify(execFile)

interface PackedFile {
  readonly path: string
  readonly size: number
}

/** The package as a user has it: packed, and installed in an app of its own. */
export interface InstalledPackage {
  /** Folder of the app. */
  readonly app: string
  readonly files: readonly PackedFile[]
  readonly tarball: string
  /** Bytes of the tarball. */
  readonly size: number
  remove(): Promise<void>
}

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Nothing of the test runner or of the npm that started it, both of which change how Node, npm and colours behave. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(npm_|vitest|node_|test$|ci$|(no|force)_color$|tessera_)/i.test(name),
  ),
)

/** Runs a program of the app to its end. */
export function runIn(app: string, command: string, args: readonly string[], { input = '', env = {} } = {}): Finished {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: app,
    input,
    encoding: 'utf8',
    env: { ...environment, ...env },
  })
  if (error) throw error
  return { code: status, stdout, stderr }
}

/** An app of its own that has the package installed. */
export async function installPackage(): Promise<InstalledPackage> {
  const { folder, filename, size, files } = await installOnce()
  const app = await mkdtemp(join(tmpdir(), 'tessera-app-'))
  const remove = () => rm(app, { recursive: true, force: true })
  try {
    await linkTree(folder, app)
    return { app, tarball: join(app, filename), files, size, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

type Packed = { readonly filename: string; readonly size: number; readonly files: readonly PackedFile[] }

/**
 * Packs the repository, whose build is renewed where the sources are newer, and installs the tarball in an empty app: the first test file of a run that
 * asks for it, in the folder for temporary files of that run, as to pack and install takes half a gigabyte and the processor for a quarter of a minute.
 */
async function installOnce(): Promise<Packed & { folder: string }> {
  const once = join(tmpdir(), 'tessera-installed')
  const folder = join(once, 'app')
  const outcome = join(once, 'outcome.json')
  if (await isFirst(once)) {
    const result = await install(folder).catch((error: unknown) => ({ failed: String(error) }))
    await writeFile(`${outcome}.part`, JSON.stringify(result))
    await rename(`${outcome}.part`, outcome)
  }
  while (!existsSync(outcome)) await delay(200)
  const result = JSON.parse(await readFile(outcome, 'utf8')) as Packed | { failed: string }
  if ('failed' in result) throw new Error(`the package cannot be installed: ${result.failed}`)
  return { ...result, folder }
}

/** Of all processes that ask, one makes the folder. */
async function isFirst(folder: string): Promise<boolean> {
  try {
    await mkdir(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function install(app: string): Promise<Packed> {
  await buildIfOlder()
  await mkdir(app)
  const pack = npmCommand('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', app])
  const { stdout } = await run(...pack, { cwd: ROOT, env: environment })
  const [{ filename, size, files }] = JSON.parse(stdout) as [Packed]
  await writeFile(join(app, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  await installTarball(app, join(app, filename))
  return { filename, size, files }
}

/** What npm writes into, where it replaces everything else. */
const WRITTEN_BY_NPM = new Set(['package.json', 'package-lock.json', '.package-lock.json'])

/** A second folder of the same files. */
async function linkTree(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      await mkdir(target)
      await linkTree(source, target)
    } else if (entry.isSymbolicLink()) await symlink(await readlink(source), target, 'junction')
    else await (WRITTEN_BY_NPM.has(entry.name) ? copyFile : link)(source, target)
  }
}

/** Installs packages in the app with npm. False where the registry cannot be reached. */
export async function npmInstall(app: string, ...packages: string[]): Promise<boolean> {
  // Scripts of packages do not run: nothing may depend on one.
  const flags = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--fetch-retries=1']
  try {
    await run(...npmCommand('npm', ['install', ...flags, ...packages]), {
      cwd: app,
      env: { ...environment, ONNXRUNTIME_NODE_INSTALL: 'skip' },
    })
    return true
  } catch (error) {
    if (
      /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|ENOTCACHED/.test(
        String((error as { stderr?: string }).stderr),
      )
    )
      return false
    throw error
  }
}

/** Without a network, the repository's copies of what package.json declares, and nothing else, stand in for the registry's. */
async function installTarball(app: string, tarball: string): Promise<void> {
  if (await npmInstall(app, tarball)) return
  process.stderr.write(
    "the npm registry cannot be reached: the package is tested with the repository's copies of its dependencies\n",
  )
  const modules = join(app, 'node_modules')
  const target = join(modules, 'tessera-onnx')
  await mkdir(target, { recursive: true })
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', target])
  const { dependencies, bin } = JSON.parse(await readFile(join(target, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
    bin: { tessera: string }
  }
  for (const name of Object.keys(dependencies)) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(join(ROOT, 'node_modules', name), join(modules, name), 'junction')
  }
  await mkdir(join(modules, '.bin'))
  await symlink(join(target, bin.tessera), join(modules, '.bin', 'tessera'))
}

async function buildIfOlder(): Promise<void> {
  const output = join(ROOT, 'dist', 'index.js')
  const built = existsSync(output) ? (await stat(output)).mtimeMs : 0
  const sources = (await readdir(join(ROOT, 'src'), { recursive: true }))
    .filter((name) => /\.(ts|html|css)$/.test(name))
    .map((name) => join(ROOT, 'src', name))
  const times = await Promise.all(
    [...sources, join(ROOT, 'tsup.config.ts')].map(async (file) => (await stat(file)).mtimeMs),
  )
  if (Math.max(...times) > built) await run(...npmCommand('npm', ['run', 'build']), { cwd: ROOT, env: environment })
}
