import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { runIn } from './helpers/installed-package.ts'
import { npmCommand } from './helpers/npm.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'

/** Each version of npm is fetched, and what it installs may download hundreds of MB: for those who ask for it. */
const WANTED = process.env.TESSERA_TEST_NPM !== undefined
const HOST = 'api.nuget.org'

describe.skipIf(!WANTED)('the install script of onnxruntime-node (TESSERA_TEST_NPM=1)', () => {
  let app: string
  beforeEach(async () => {
    app = temporaryFolder()
    await writeFile(join(app, 'package.json'), '{"private":true}')
  })

  function install(version: string, env: Record<string, string | undefined>) {
    const [program, words] = npmCommand('npx', ['--yes', `npm@${version}`, 'install', 'onnxruntime-node', '--no-audit'])
    return runIn(app, program, words, { env })
  }

  it.each(['9', '10', '11'])('downloads nothing under npm %s with ONNXRUNTIME_NODE_INSTALL=skip', (version) => {
    const { code, stderr } = install(version, { ONNXRUNTIME_NODE_INSTALL: 'skip' })
    expect([code, stderr.includes(HOST)]).toEqual([0, false])
  })

  it.skipIf(process.platform !== 'linux').each(['9', '10', '11'])(
    'runs under npm %s without it, so that the install fails where its host cannot be reached',
    async (version) => {
      const canReach = await fetch(`https://${HOST}/v3/index.json`).then(
        () => true,
        () => false,
      )
      // Who runs the tests may have set it.
      const { code, stderr } = install(version, { ONNXRUNTIME_NODE_INSTALL: undefined })
      expect([code === 0, stderr.includes(HOST)]).toEqual([canReach, !canReach])
    },
  )
})
