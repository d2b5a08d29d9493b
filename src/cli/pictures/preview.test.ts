import { describe, expect, it } from 'vitest'
import { renderPreview } from './preview.ts'

const PNG = 'iVBORw0K'.repeat(1200)

describe('a preview', () => {
  it.each(['xterm-kitty', 'xterm-ghostty'])('is sent to %s in pieces that together are the picture', (TERM) => {
    const output = renderPreview(PNG, { TERM })!
    const commands = output
      .split('\x1b\\')
      .slice(0, -1)
      .map((command) => command.split(';') as [string, string])
    expect(commands.map(([keys]) => keys)).toEqual(['\x1b_Ga=T,f=100,q=2,c=32,m=1', '\x1b_Gm=1', '\x1b_Gm=0'])
    expect(commands.map(([, data]) => data).join('')).toBe(PNG)
    expect(Math.max(...commands.map(([, data]) => data.length))).toBe(4096)
  })

  it.each(['iTerm.app', 'WezTerm'])('is sent to %s as one inline file', (TERM_PROGRAM) => {
    expect(renderPreview(PNG, { TERM: 'xterm-256color', TERM_PROGRAM })).toBe(
      `\x1b]1337;File=inline=1;width=32;preserveAspectRatio=1:${PNG}\x07\n`,
    )
  })

  it.each([
    {},
    { TERM: 'xterm-256color' },
    { TERM: 'dumb' },
    { TERM: 'xterm-256color', TERM_PROGRAM: 'Apple_Terminal' },
    { TERM: 'tmux-256color', TERM_PROGRAM: 'tmux', KITTY_WINDOW_ID: '1' },
  ])('is not sent to a terminal of %o', (env) => {
    expect(renderPreview(PNG, env)).toBeUndefined()
  })
})
