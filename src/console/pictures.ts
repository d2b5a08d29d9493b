import { makeCopies } from './copy-request.ts'
import { make } from './dom.ts'
import type { Pictures } from './picture-jobs.ts'

/** The request of a picture. */
export interface PictureBody {
  readonly prompt: string
  /** Of the first picture; each further one has the next. */
  readonly seed?: unknown
  /** Of an edit: the source pictures, as data URLs. */
  readonly image?: string
  readonly images?: readonly string[]
}

interface PictureOptions {
  /** Function of the library that makes such pictures, and the path of the service that does. */
  readonly call: 'generateImage' | 'editImage'
  readonly path: string
  /** Takes a picture as the source of an edit. */
  edit(picture: File): void
}

/** Pictures, of which those before are freed when the next ones come. */
export function createPictures({ call, path, edit }: PictureOptions) {
  const addresses = createAddresses()
  return {
    /** Without a request, as after a reload, it shows the pictures alone. */
    show({ pictures, warnings }: Pictures, body?: PictureBody): HTMLElement[] {
      addresses.clear()
      const figures = pictures.map((base64, index) => {
        const blob = new Blob([toBytes(base64)], { type: 'image/png' })
        return makePicture(blob, addresses.add(blob), index, body ?? {}, edit)
      })
      return [
        ...warnings.map((message) => make('p', { class: 'warning', role: 'status' }, message)),
        ...(body ? makeSources(body) : []),
        make('div', { class: 'pictures' }, ...figures),
        ...(body ? [makeCopies(call, path, body)] : []),
      ]
    },
  }
}

/** What an edit began with, above what came of it, so that both are seen at once. */
function makeSources({ image, images = image === undefined ? [] : [image] }: PictureBody): HTMLElement[] {
  if (images.length === 0) return []
  const figures = images.map((src, index) => {
    const name = images.length === 1 ? 'Before' : `Before, source ${index + 1}`
    return make('figure', {}, make('img', { src, alt: name }), make('figcaption', { class: 'hint' }, name))
  })
  return [make('div', { class: 'pictures before' }, ...figures)]
}

function makePicture(
  blob: Blob,
  src: string,
  index: number,
  { prompt, seed }: Partial<PictureBody>,
  edit: (picture: File) => void,
): HTMLElement {
  const number = index + 1
  const facts = make('span', { class: 'hint' })
  const image = make('img', { src, alt: prompt === undefined ? `Picture ${number}` : `Picture ${number}: ${prompt}` })
  const shownSeed = typeof seed === 'number' ? ` · seed ${seed + index}` : ''
  image.addEventListener('load', () => {
    facts.textContent = `${image.naturalWidth} × ${image.naturalHeight}${shownSeed}`
  })
  const name = `picture-${number}.png`
  const which = () => make('span', { class: 'visually-hidden' }, ` ${name}`)
  const download = make('a', { href: src, download: name }, 'Download', which())
  const button = make('button', { type: 'button', class: 'quiet' }, 'Edit this', which())
  button.addEventListener('click', () => edit(new File([blob], name, { type: blob.type })))
  return make('figure', {}, image, make('figcaption', {}, facts, download, button))
}

function toBytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** Addresses of files, which hold them in memory until they are cleared. */
export function createAddresses() {
  let addresses: string[] = []
  return {
    add(blob: Blob): string {
      const address = URL.createObjectURL(blob)
      addresses.push(address)
      return address
    },
    clear(): void {
      for (const address of addresses) URL.revokeObjectURL(address)
      addresses = []
    },
  }
}
