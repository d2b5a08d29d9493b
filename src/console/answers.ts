import type { DecisionResponse } from '../schemas/index.ts'
import { make } from './dom.ts'
import { formatDuration, formatPercent, formatUnits } from './format.ts'

type Answer = DecisionResponse['answers'][string]

interface Bar {
  readonly name: string
  readonly share: number
}

/**
 * The answers of a decision, each with the bars of its options.
 *
 * @param milliseconds that it took in all; undefined where nobody here has waited for it
 */
export function makeAnswers(response: DecisionResponse, milliseconds?: number): HTMLElement[] {
  const { answers, model, usage, latency_ms: latency } = response
  const facts = [
    model,
    formatUnits(usage.input_tokens, 'token'),
    `${formatDuration(latency)} in the server`,
    ...(milliseconds === undefined ? [] : [`${formatDuration(milliseconds)} in all`]),
  ]
  return [
    make('p', { class: 'facts' }, ...facts.map((fact) => make('span', {}, fact))),
    ...Object.entries(answers).map(([name, answer]) => makeAnswer(name, answer)),
  ]
}

function makeAnswer(name: string, answer: Answer): HTMLElement {
  const { confidence, decided } = answer
  const notes = [
    ...(confidence === undefined ? [] : [`confidence ${confidence.toFixed(2)}`]),
    ...(decided === undefined ? [] : [decided ? 'decided' : 'not decided']),
  ]
  return make(
    'article',
    { class: 'answer' },
    make(
      'header',
      {},
      make('h3', {}, name),
      make('strong', {}, sayAnswer(answer)),
      make('span', { class: decided === false ? 'hint undecided' : 'hint' }, notes.join(' · ')),
    ),
    make('ul', { class: 'bars' }, ...toBars(answer).map(makeBar)),
  )
}

function sayAnswer(answer: Answer): string {
  if (answer.type === 'noul') return answer.noul >= 0.5 ? 'yes' : 'no'
  if (answer.type === 'choice') return answer.choice
  return `${answer.score.toFixed(2)} of ${Object.keys(answer.probabilities).length - 1}`
}

/** Options by probability, levels in their own order. */
function toBars(answer: Answer): Bar[] {
  if (answer.type === 'noul')
    return [
      { name: 'yes', share: answer.noul },
      { name: 'no', share: 1 - answer.noul },
    ]
  const bars = Object.entries(answer.probabilities).map(([name, share]) => ({ name, share }))
  if (answer.type === 'choice') return bars.sort((a, b) => b.share - a.share)
  return bars.map(({ name, share }) => ({ name: `${name}: ${sayLevel(answer.legend[name])}`, share }))
}

function sayLevel(level: unknown): string {
  return typeof level === 'string' ? level : JSON.stringify(level)
}

function makeBar({ name, share }: Bar): HTMLElement {
  const track = make('span', { class: 'track', 'aria-hidden': 'true' }, make('span'))
  track.style.setProperty('--share', String(share))
  const percent = make('span', { class: 'share' }, formatPercent(share))
  return make('li', {}, make('span', { class: 'name' }, name), track, percent)
}
