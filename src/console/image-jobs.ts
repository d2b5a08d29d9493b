import { byId, make, readNumber } from './dom.ts'
import { FormFault } from './form-fault.ts'
import { type JobEvents, setUpJob } from './job-form.ts'
import { createPictureJobs } from './picture-jobs.ts'
import { createAddresses, createPictures, type PictureBody } from './pictures.ts'

/**
 * @param edit takes a picture as the source of an edit
 * @returns what goes on with the job of an earlier load of the page
 */
export function setUpGenerate(events: JobEvents, edit: (picture: File) => void): () => Promise<void> {
  const prompt = byId('generate-prompt', HTMLTextAreaElement)
  const path = 'v1/images/generations'
  const pictures = createPictures({ call: 'generateImage', path, edit })
  return setUpJob(
    {
      panel: byId('generate'),
      verb: 'Generate',
      empty: 'Pictures appear here. One takes seconds to minutes.',
      read: () => ({
        prompt: prompt.value,
        size: byId('size', HTMLInputElement).value.trim(),
        ...readNumber('n', 'generate-n'),
        ...readSeed('seed'),
      }),
      ...createPictureJobs('generate', path),
      show: (images, _, body) => pictures.show(images, body as PictureBody | undefined),
    },
    events,
  )
}

/** Returns what takes a picture as the source, and what goes on with the job of an earlier load of the page. */
export function setUpEdit(events: JobEvents) {
  const prompt = byId('edit-prompt', HTMLTextAreaElement)
  const path = 'v1/images/edits'
  const sources = setUpSources()
  const edit = (picture: File) => {
    sources.choose(picture)
    byId('tab-edit').click()
    prompt.focus()
  }
  const pictures = createPictures({ call: 'editImage', path, edit })
  const resume = setUpJob(
    {
      panel: byId('edit'),
      verb: 'Edit',
      empty: 'Edited pictures appear here.',
      read: async () => ({
        prompt: prompt.value,
        ...(await sources.read()),
        ...readNumber('n', 'edit-n'),
        ...readSeed('edit-seed'),
      }),
      ...createPictureJobs('edit', path),
      show: (images, _, body) => pictures.show(images, body as PictureBody | undefined),
    },
    events,
  )
  return { edit, resume }
}

/** The field of the source pictures, with a preview of each. */
function setUpSources() {
  const field = byId('sources', HTMLInputElement)
  const previews = createAddresses()
  const show = () => {
    previews.clear()
    byId('previews').replaceChildren(
      ...[...(field.files ?? [])].map((file) =>
        make('li', {}, make('img', { src: previews.add(file), alt: '' }), make('span', {}, file.name)),
      ),
    )
  }
  field.addEventListener('change', show)
  return {
    choose(picture: File): void {
      const chosen = new DataTransfer()
      chosen.items.add(picture)
      field.files = chosen.files
      show()
    },
    async read(): Promise<object> {
      const files = await Promise.all([...(field.files ?? [])].map(readAsDataUrl))
      if (files.length === 0) throw new FormFault('Choose at least one picture.', ['image'])
      return files.length === 1 ? { image: files[0] } : { images: files }
    },
  }
}

/** A seed that is not given is drawn here, so that a picture shows which one it has. */
function readSeed(id: string): object {
  const given = readNumber('seed', id)
  return 'seed' in given ? given : { seed: crypto.getRandomValues(new Uint32Array(1))[0]! }
}

function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(reader.result as string))
    reader.addEventListener('error', () => reject(new FormFault(`${file.name} could not be read.`, ['image'])))
    reader.readAsDataURL(file)
  })
}
