import { make } from './dom.ts'

/** Longer texts are pictures, which nobody wants to paste. */
const LONG = 1000

/** A request as a program of the library: `const response = await generateImage({ … })`. */
export function toTypeScript(call: string, body: object): string {
  return `import { ${call} } from 'tessera-onnx'\n\nconst response = await ${call}(${shorten(body)})\n`
}

/** A request as a command line for this service; `$TESSERA_KEY` stands for the key. */
export function toCurl(url: string, body: object): string {
  const quoted = shorten(body).replaceAll("'", String.raw`'\''`)
  return `curl ${url} -H "Authorization: Bearer $TESSERA_KEY" -H "Content-Type: application/json" -d '${quoted}'\n`
}

function shorten(body: object): string {
  const short = (_: string, value: unknown) =>
    typeof value === 'string' && value.length > LONG && value.startsWith('data:') ? '<picture as base64>' : value
  return JSON.stringify(body, short, 2)
}

/** Browsers give pages without TLS no clipboard, unless they are of this machine. */
const INSECURE = 'Browsers let a page copy over https or from localhost only'

/** Buttons that copy a request. */
export function makeCopies(call: string, path: string, body: object): HTMLElement {
  const status = make('span', { class: 'hint', role: 'status' })
  const button = (label: string, text: () => string) => {
    const copy = make('button', { type: 'button', class: 'quiet' }, label)
    copy.addEventListener('click', () => {
      if (!isSecureContext) {
        status.textContent = INSECURE
        return
      }
      navigator.clipboard.writeText(text()).then(
        () => (status.textContent = 'Copied'),
        () => (status.textContent = 'The browser does not let this page copy'),
      )
    })
    return copy
  }
  return make(
    'div',
    { class: 'copies' },
    button('Copy as TypeScript', () => toTypeScript(call, body)),
    button('Copy as curl', () => toCurl(new URL(path, document.baseURI).href, body)),
    status,
  )
}
