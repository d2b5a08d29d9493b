const ESCAPE = '\u001b'
/** All control characters but line breaks and tabs, with what follows where one is the beginning of a colour. */
const CONTROL = /\r(?!\n)|[^\P{Cc}\r\n\t](\[[\d;]*m)?/gu

/**
 * Text as a terminal may be given it, with its colours. Names in files and requests are whatever somebody wrote there: as they are, they could
 * clear what was printed before, or have the terminal do something.
 */
export function showControls(text: string): string {
  return text.replace(CONTROL, (found, colour = '') =>
    colour !== '' && found.startsWith(ESCAPE)
      ? found
      : `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}${colour}`,
  )
}
