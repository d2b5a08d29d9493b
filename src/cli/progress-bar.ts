import colors from 'picocolors'
import type { Progress } from '../engine/index.ts'

const WIDTH = 24

/** A line on stderr that is overwritten as the work goes on and wiped when it is done, only where somebody watches. */
export function showBar({ stage, done, total }: Progress): void {
  if (!process.stderr.isTTY) return
  const filled = Math.floor((done / total) * WIDTH)
  const line = `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${stage} ${done} of ${total}`
  process.stderr.write(done === total ? '\r\x1b[K' : `\r\x1b[K${colors.dim(line)}`)
}
