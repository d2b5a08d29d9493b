import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { InvalidRequestError } from '../../errors/index.ts'
import { connect } from './hub-client.ts'
import { pullModel } from './pull-model.ts'

const SECRET = 's3cr3t'

it.each([
  ['of two lines', `hf_${SECRET}\nhf_${SECRET}`],
  ['with a letter that no header takes', `hf_${SECRET}–`],
  ['with a control character', `hf_${SECRET}\u0001`],
  ['of something else', SECRET],
])('a token %s is refused before anybody is asked, and never shown', async (_, token) => {
  const folder = await mkdtemp(join(tmpdir(), 'token-'))
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
    expect.stringMatching(/HF_TOKEN: must be one token of the hub, hf_ and ASCII characters without spaces$/),
    expect.stringContaining(`which ${file} has to hold`),
  ])
  await rm(folder, { recursive: true })
})

it('white space around a token is not part of it', async () => {
  const { accessToken } = await connect({ HF_TOKEN: `\uFEFFhf_${SECRET}\r\n` }, undefined)
  expect(accessToken).toBe(`hf_${SECRET}`)
})
