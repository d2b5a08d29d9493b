import { on } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { AnsweredRows, AnswerSettings, Part } from './answer-rows.ts'

/** What one worker is to do. */
export interface WorkerTask {
  /** Folder of the model. */
  readonly model: string
  /** Files of labelled rows that are reported together. */
  readonly groups: readonly (readonly string[])[]
  readonly settings: AnswerSettings
  readonly part: Part
}

/**
 * Answers groups of files in as many threads as asked for, each with the model for itself: short texts leave a second thread of one
 * model with next to nothing to do. What comes back is in the order of the files, however many there were.
 */
export async function answerInWorkers(task: Omit<WorkerTask, 'part'>, workers: number): Promise<AnsweredRows[]> {
  // The runtime reads the variables of the process, which a worker cannot set.
  process.env['ORT_DISABLE_TELEMETRY'] = '1'
  const parts = await Promise.all(
    Array.from({ length: workers }, (_, index) => runWorker({ ...task, part: { index, of: workers } })),
  )
  return task.groups.map((_, group) => putTogether(parts.map((answers) => answers[group]!)))
}

async function runWorker(task: WorkerTask): Promise<AnsweredRows[]> {
  const worker = new Worker(new URL('./answer-worker.js', import.meta.url), { workerData: task, execArgv: [] })
  const answers: AnsweredRows[] = []
  for await (const [answered] of on(worker, 'message', { close: ['exit'] })) answers.push(answered as AnsweredRows)
  return answers
}

function putTogether(parts: readonly AnsweredRows[]): AnsweredRows {
  const sum = (name: 'asked' | 'changed') => parts.reduce((total, { order }) => total + order[name], 0)
  return {
    answered: parts.flatMap(({ answered }) => answered).toSorted((a, b) => a.row - b.row),
    order: { asked: sum('asked'), changed: sum('changed') },
  }
}
