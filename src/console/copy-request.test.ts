import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { toCurl, toTypeScript } from './copy-request.ts'

const body = { prompt: `a "fox" and it's house`, image: `data:image/png;base64,${'A'.repeat(2000)}`, seed: 7 }
const shown = { ...body, image: '<picture as base64>' }

describe('a request to be pasted', () => {
  it('is a program, without the pictures', () => {
    const [, given] = /editImage\(([^]*)\)\n$/.exec(toTypeScript('editImage', body))!
    expect(JSON.parse(given!)).toEqual(shown)
  })

  it('is a command line whose quotes hold', () => {
    const command = toCurl('http://localhost/v1/images/edits', body).replace('curl', 'printf "%s\\n"')
    const words = execFileSync('sh', ['-c', command], { encoding: 'utf8', env: { TESSERA_KEY: 'secret' } })
    expect(words.split('\n').slice(0, 5)).toEqual([
      'http://localhost/v1/images/edits',
      '-H',
      'Authorization: Bearer secret',
      '-H',
      'Content-Type: application/json',
    ])
    expect(JSON.parse(words.slice(words.indexOf('{')))).toEqual(shown)
  })
})
