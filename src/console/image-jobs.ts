import { postForPictures } from './api.ts'
import { byId, make } from './dom.ts'
import { FormFault } from './form-fault.ts'
import { type JobEvents, setUpJob } from './job-form.ts'

export function setUpGenerate(events: JobEvents): void {
  const prompt = byId('generate-prompt', HTMLTextAreaElement)
  const pictures = createPictures()
  setUpJob(
    {
      panel: byId('generate'),
      verb: 'Generate',
      empty: 'Pictures appear here. One takes seconds to minutes.',
      read: () => ({
        prompt: prompt.value,
        size: byId('size', HTMLInputElement).value.trim(),
        ...readNumber('n', 'generate-n'),
        ...readNumber('seed', 'seed'),
      }),
      send: (...call) => postForPictures('v1/images/generations', ...call),
      show: (images) => pictures.show(images, prompt.value),
    },
    events,
  )
}

export function setUpEdit(events: JobEvents): void {
  const prompt = byId('edit-prompt', HTMLTextAreaElement)
  const sources = byId('sources', HTMLInputElement)
  const pictures = createPictures()
  const previews = createAddresses()
  sources.addEventListener('change', () => {
    previews.clear()
    byId('previews').replaceChildren(
      ...[...(sources.files ?? [])].map((file) =>
        make('li', {}, make('img', { src: previews.add(file), alt: '' }), make('span', {}, file.name)),
      ),
    )
  })
  setUpJob(
    {
      panel: byId('edit'),
      verb: 'Edit',
      empty: 'Edited pictures appear here.',
      async read() {
        const files = await Promise.all([...(sources.files ?? [])].map(readAsDataUrl))
        if (files.length === 0) throw new FormFault('Choose at least one picture.', ['image'])
        return {
          prompt: prompt.value,
          ...(files.length === 1 ? { image: files[0] } : { images: files }),
          ...readNumber('n', 'edit-n'),
        }
      },
      send: (...call) => postForPictures('v1/images/edits', ...call),
      show: (images) => pictures.show(images, prompt.value),
    },
    events,
  )
}

/** Text that is no number goes out as it is: the server says what it wants. */
function readNumber(name: string, id: string): object {
  const text = byId(id, HTMLInputElement).value.trim()
  return text === '' ? {} : { [name]: Number.isNaN(Number(text)) ? text : Number(text) }
}

function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(new FormFault(`${file.name} could not be read.`, ['image'])))
    reader.readAsDataURL(file)
  })
}

/** Pictures, of which those before are freed when the next ones come. */
function createPictures() {
  const addresses = createAddresses()
  return {
    show(images: readonly string[], prompt: string): HTMLElement[] {
      addresses.clear()
      return [
        make(
          'div',
          { class: 'pictures' },
          ...images.map((base64, index) => {
            const src = addresses.add(new Blob([toBytes(base64)], { type: 'image/png' }))
            return makePicture(src, index + 1, prompt)
          }),
        ),
      ]
    },
  }
}

function makePicture(src: string, number: number, prompt: string): HTMLElement {
  const size = make('span', { class: 'hint' })
  const image = make('img', { src, alt: `Picture ${number}: ${prompt}` })
  image.addEventListener('load', () => (size.textContent = `${image.naturalWidth} × ${image.naturalHeight}`))
  const name = `picture-${number}.png`
  const which = make('span', { class: 'visually-hidden' }, ` ${name}`)
  const download = make('a', { href: src, download: name }, 'Download', which)
  return make('figure', {}, image, make('figcaption', {}, size, download))
}

function toBytes(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

function createAddresses() {
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
