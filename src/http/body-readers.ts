import { isForm, readForm } from './read-form.ts'
import { readJson } from './read-json.ts'

/** How a route reads the body of a request, of at most so many bytes. */
export function createBodyReaders(request: Request, maxBytes: number) {
  return {
    readJson: () => readJson(request, maxBytes),
    readJsonOrForm: () => (isForm(request) ? readForm(request, maxBytes) : readJson(request, maxBytes)),
  }
}
