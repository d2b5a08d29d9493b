import type { JobContext } from '../../jobs/job-context.ts'
import type { Task } from './task.ts'

const QUESTIONS = { ready: { type: 'noul', instructions: 'Is it ready?' } } as const
const PICTURE = { prompt: 'a', size: '64x64', n: 1, seed: 0, steps: 1 }

/** Has a model answer once, so that no caller waits for what is only done the first time. */
export async function warmUp({ decide, generateImage }: Task, { turn }: JobContext): Promise<void> {
  if (decide) await decide({ state: 'a', questions: QUESTIONS }, { turn })
  else await generateImage?.(PICTURE, { turn })
}
