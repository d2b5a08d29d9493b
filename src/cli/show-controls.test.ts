import { expect, it } from 'vitest'
import { showControls } from './show-controls.ts'

it.each([
  [
    '\u001b]0;title\u0007\u001b[2Ja\rb\u0000\u007f\u009b',
    '\\u001b]0;title\\u0007\\u001b[2Ja\\u000db\\u0000\\u007f\\u009b',
  ],
  ['\u001b[31mred\u001b[39m, \u001b[1;32mgreen\u001b[0m', '\u001b[31mred\u001b[39m, \u001b[1;32mgreen\u001b[0m'],
  ['two\nlines\r\nand\ta tab, é 🎯 ▁', 'two\nlines\r\nand\ta tab, é 🎯 ▁'],
])('%j is printed as %j', (text, shown) => expect(showControls(text)).toBe(shown))
