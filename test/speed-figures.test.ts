import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

interface Load {
  readonly workers: number | 'auto'
  readonly seconds: number
  readonly answers: number
  readonly milliseconds: { readonly p50: number; readonly p99: number }
  readonly memory: { readonly most: number }
}

const read = (file: string) => readFile(new URL(`../${file}`, import.meta.url), 'utf8')
const whole = (value: number) => Math.round(value).toLocaleString('en-US')

it('docs/speed.md has rates, times and memory of many clients from one run, that of bench/results/service.json', async () => {
  const page = await read('docs/speed.md')
  const { loads } = JSON.parse(await read('bench/results/service.json')) as { loads: readonly Load[] }
  const [one, shared] = [loads.find(({ workers }) => workers === 1)!, loads.find(({ workers }) => workers === 'auto')!]
  const cells = ({ answers, seconds, milliseconds: { p50, p99 } }: Load) =>
    `| ${whole(answers / seconds)} | ${whole(p50)}, ${whole(p99)} ms |`
  expect(page).toContain(`| one worker of two threads ${cells(one)}`)
  expect(page).toContain(`| the default ${cells(shared)}`)
  expect(page).toContain(`${whole(shared.memory.most)} MiB at most, one worker ${whole(one.memory.most)}.`)
})
