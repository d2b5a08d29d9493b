const NAME = 'tessera-key'

/** Forms whose last job is found again after a reload. */
export const JOB_FORMS = ['generate', 'edit'] as const
export type JobForm = (typeof JOB_FORMS)[number]

/** In memory where the browser keeps nothing for this page. */
let kept: string | undefined

/** The key of this tab. It is in no cookie, so that no other page can make the browser send it. */
export function getKey(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? kept
  } catch {
    return kept
  }
}

/** Without a key there are no jobs to find either: their ids go with it. */
export function setKey(key: string | undefined): void {
  kept = key
  try {
    if (key === undefined) sessionStorage.removeItem(NAME)
    else sessionStorage.setItem(NAME, key)
  } catch {
    // It stays in memory, which a reload clears.
  }
  if (key === undefined) for (const form of JOB_FORMS) keepJob(form, undefined)
}

/** The id of the job that a form started last in this tab. */
export function readKeptJob(form: JobForm): string | undefined {
  try {
    return sessionStorage.getItem(jobName(form)) ?? undefined
  } catch {
    return undefined
  }
}

/** Keeps the id, and nothing else of the job, for as long as the tab is open. */
export function keepJob(form: JobForm, id: string | undefined): void {
  try {
    if (id === undefined) sessionStorage.removeItem(jobName(form))
    else sessionStorage.setItem(jobName(form), id)
  } catch {
    // The job goes on, and a reload does not find it by itself.
  }
}

const jobName = (form: JobForm) => `tessera-job-${form}`
