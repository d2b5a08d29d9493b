import type { DecisionResponse } from '../schemas/index.ts'
import { makeAnswers } from './answers.ts'
import { make } from './dom.ts'
import { describeFailure } from './job-display.ts'
import { hasResults } from './job-row.ts'
import { type Job, readBatchResults } from './jobs-api.ts'
import { errorOf, picturesOf } from './picture-jobs.ts'
import { createAddresses, createPictures } from './pictures.ts'

/** Shows what came of jobs, one at a time. */
export function createJobResults(edit: (picture: File) => void) {
  const pictures = createPictures({ call: 'generateImage', path: 'v1/images/generations', edit })
  const files = createAddresses()
  return async (job: Job): Promise<readonly Node[]> => {
    const cancelled = job.status === 'cancelled' ? [make('p', { class: 'hint' }, 'The job was cancelled.')] : []
    if (hasResults(job)) {
      // A batch that was stopped has the answers of the lines before.
      files.clear()
      const href = files.add(await readBatchResults(job.id))
      const link = make('a', { href, download: `${job.id}.jsonl` }, 'Download the results as JSON Lines')
      return [...(job.error ? describeFailure(errorOf(job.error)) : cancelled), link]
    }
    if (job.error) throw errorOf(job.error)
    if (job.status === 'cancelled') return cancelled
    if (job.path.startsWith('/v1/images/')) return pictures.show(picturesOf(job))
    if (job.path === '/v1/systemone') return makeAnswers(job.result as DecisionResponse)
    const text = JSON.stringify(job.result, null, 2)
    return [make('pre', { tabindex: '0', role: 'region', 'aria-label': 'Result as JSON' }, text)]
  }
}
