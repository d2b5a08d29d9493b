/** Columns of text that a preview is as wide as. */
const COLUMNS = 32
/** Longest payload of one command of kitty's protocol. */
const CHUNK = 4096

/**
 * What to write to a terminal so that it shows a PNG, given in base64; undefined for one that doesn't say it can. kitty
 * and ghostty say so by their own TERM, iTerm2 and WezTerm by TERM_PROGRAM; inside of tmux neither is passed on.
 */
export function renderPreview(png: string, { TERM, TERM_PROGRAM }: NodeJS.ProcessEnv): string | undefined {
  if (TERM === 'xterm-kitty' || TERM === 'xterm-ghostty') return renderKitty(png)
  if (TERM_PROGRAM === 'iTerm.app' || TERM_PROGRAM === 'WezTerm') {
    return `\x1b]1337;File=inline=1;width=${COLUMNS};preserveAspectRatio=1:${png}\x07\n`
  }
  return undefined
}

/** sw.kovidgoyal.net/kitty/graphics-protocol: a PNG (f=100) to show at once (a=T), in pieces; m=1 says more come. */
function renderKitty(png: string): string {
  let output = ''
  for (let at = 0; at < png.length; at += CHUNK) {
    const head = at === 0 ? `a=T,f=100,q=2,c=${COLUMNS},` : ''
    const more = at + CHUNK < png.length ? 1 : 0
    output += `\x1b_G${head}m=${more};${png.slice(at, at + CHUNK)}\x1b\\`
  }
  return `${output}\n`
}
