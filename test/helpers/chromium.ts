import { existsSync } from 'node:fs'

const USUAL = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  String.raw`C:\Program Files\Google\Chrome\Application\chrome.exe`,
]

/** Path of a Chromium of this machine: `CHROMIUM`, else one of the usual places; undefined where there is none. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM ?? USUAL.find((path) => existsSync(path))
}
