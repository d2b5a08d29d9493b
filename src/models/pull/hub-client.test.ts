import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { connect } from './hub-client.ts'
import { pullModel } from './pull-model.ts'
import { COMMIT, startFakeHub } from './test-support/fake-hub.ts'

const SECRET = 's3cr3t'

it.each([
  ['of two lines', `hf_${SECRET}\nhf_${SECRET}`],
  ['with a letter that no header takes', `hf_${SECRET}–`],
  ['with a control character', `hf_${SECRET}\u0001`],
  ['of two words', `hf_${SECRET} hf_${SECRET}`],
])('a token %s is refused before anybody is asked, and never shown', async (_, token) => {
  const folder = temporaryFolder()
  const file = join(folder, 'token')
  await writeFile(file, token)
  const refusals = await Promise.all(
    [{ HF_TOKEN: token }, { HF_TOKEN_PATH: file }].map((env) =>
      pullModel({ id: 'owner/name', env: { HF_ENDPOINT: 'http://127.0.0.1:1', ...env } }).catch(
        (error: unknown) => error,
      ),
    ),
  )
  for (const refusal of refusals) {
    expect(refusal).toBeInstanceOf(InvalidRequestError)
    expect(String((refusal as Error).stack)).not.toContain(SECRET)
  }
  expect(refusals.map(String)).toEqual([
    expect.stringMatching(/HF_TOKEN: must be one token of the hub, ASCII characters without spaces$/),
    expect.stringContaining(`which ${file} has to hold`),
  ])
})

it.each([
  ['with white space around it', `\uFEFFhf_${SECRET}\r\n`, `hf_${SECRET}`],
  ['of a mirror, which has tokens of its own', 'eyJ2ZXIiOiIyIn0.x', 'eyJ2ZXIiOiIyIn0.x'],
])('a token %s is sent', async (_, HF_TOKEN, sent) => {
  const files = { 'config.json': '{}', 'model.safetensors': 'x' }
  const folder = temporaryFolder()
  await using hub = await startFakeHub(files, sent)
  const env = { HF_HOME: folder, HF_ENDPOINT: hub.url, HF_TOKEN }
  expect(await pullModel({ id: 'owner/model', env })).toContain(folder)
})

it('a token is for the hub alone', async () => {
  await using other = await startFakeHub({ 'config.json': '{}' }, SECRET)
  const hub = await connect({ HF_ENDPOINT: 'http://127.0.0.1:1', HF_TOKEN: SECRET }, undefined)
  const { status } = await hub.fetch(`${other.url}/owner/model/resolve/${COMMIT}/config.json`)
  expect(status).toBe(401)
})

it('a token is for all that the hub has, however its address is written', async () => {
  await using mirror = await startFakeHub({ 'config.json': '{}' }, SECRET)
  const HF_ENDPOINT = `${mirror.url.replace('http:', 'HTTP:')}/path//`
  const hub = await connect({ HF_ENDPOINT, HF_TOKEN: SECRET }, undefined)
  expect(hub.hubUrl).toMatch(/\/path$/)
  const { status } = await hub.fetch(`${mirror.url}/owner/model/resolve/${COMMIT}/config.json`)
  expect(status).toBe(200)
})
