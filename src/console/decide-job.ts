import { makeAnswers } from './answers.ts'
import { postDecision } from './api.ts'
import { byId, chosen, make, readNumber } from './dom.ts'
import { FormFault } from './form-fault.ts'
import { type JobEvents, setUpJob } from './job-form.ts'
import { locateInQuestions, readQuestions, setUpQuestions } from './question-editor.ts'

export function setUpDecide(events: JobEvents): void {
  const panel = byId('decide')
  setUpQuestions()
  setUpJob(
    {
      panel,
      verb: 'Decide',
      empty: 'Answers appear here.',
      read: () => ({
        state: readState(chosen(panel, 'state-kind') === 'json'),
        questions: readQuestions(),
        ...readNumber('min_confidence', 'min-confidence'),
      }),
      send: postDecision,
      show: (response, milliseconds, body) => [
        ...makeAnswers(response, milliseconds),
        makeJson('Request', body),
        makeJson('Response', response),
      ],
      locate: ([first, ...path]) => (first === 'questions' ? locateInQuestions(path) : undefined),
    },
    events,
  )
}

function readState(json: boolean): unknown {
  const text = byId('state', HTMLTextAreaElement).value
  if (!json) return text
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new FormFault(`The state is not valid JSON: ${(error as Error).message}`, ['state'])
  }
}

function makeJson(name: string, value: unknown): HTMLElement {
  const title = `${name} as JSON`
  const text = make('pre', { tabindex: '0', role: 'region', 'aria-label': title }, JSON.stringify(value, null, 2))
  return make('details', {}, make('summary', {}, title), text)
}
