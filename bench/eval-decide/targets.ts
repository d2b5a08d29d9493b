import type { CardReport } from './card-report.ts'

/** A figure that decide-mini 1.0 was to reach, and where a report has it. */
export interface Target {
  readonly name: string
  readonly wanted: number
  /** Whether less is better. */
  readonly atMost?: boolean
  /** What the decoder before it had, 0.12.0, measured the same way. */
  readonly before: number
  readonly read: (report: CardReport) => number | undefined
}

const onHalf = (type: string) => (report: CardReport) => report.halfFitted.types[type]?.accuracy
const onProbe = (name: string) => (report: CardReport) => report.probes[`probe: ${name}`]?.accuracy

/** Set before the training began. Developer set: temperatures fitted on every second question, figures of the others. */
export const TARGETS: readonly Target[] = [
  { name: 'new tasks, choice', wanted: 0.6, before: 0.462, read: onHalf('task choice') },
  { name: 'new tasks, yes/no', wanted: 0.72, before: 0.636, read: onHalf('task noul') },
  { name: 'new tasks, score', wanted: 0.35, before: 0.205, read: onHalf('task score') },
  {
    name: 'new tasks, score, rank correlation',
    wanted: 0.45,
    before: 0.211,
    read: ({ halfFitted }) => halfFitted.types['task score']?.rankCorrelation,
  },
  { name: 'new tasks, ECE of choice', wanted: 0.04, atMost: true, before: 0.039, read: eceOf('task choice') },
  { name: 'new tasks, ECE of yes/no', wanted: 0.04, atMost: true, before: 0.036, read: eceOf('task noul') },
  { name: 'new tasks, ECE of score', wanted: 0.04, atMost: true, before: 0.033, read: eceOf('task score') },
  { name: 'known sources, choice', wanted: 0.82, before: 0.68, read: onHalf('row choice') },
  { name: 'known sources, yes/no', wanted: 0.8, before: 0.7, read: onHalf('row noul') },
  { name: 'known sources, score', wanted: 0.72, before: 0.648, read: onHalf('row score') },
  { name: 'everyday questions', wanted: 0.9, before: 0.757, read: ({ everyday }) => everyday.overall.accuracy },
  { name: 'tone of short reviews', wanted: 0.88, before: 0.61, read: onProbe('tone of short reviews') },
  { name: 'junk mail', wanted: 0.93, before: 0.627, read: onProbe('junk mail') },
  { name: 'news topic of four', wanted: 0.85, before: 0.56, read: onProbe('news topic of four') },
  { name: 'intent among eight', wanted: 0.85, before: 0.876, read: onProbe('intent among eight') },
  { name: 'yes or no by a passage', wanted: 0.66, before: 0.567, read: onProbe('yes or no by a passage') },
  {
    name: 'similarity of two sentences, rank correlation',
    wanted: 0.75,
    before: 0.176,
    read: ({ probes }) => probes['probe: similarity of two sentences']?.rankCorrelation,
  },
]

function eceOf(type: string) {
  return (report: CardReport) => report.halfFitted.types[type]?.ece
}
