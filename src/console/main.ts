import { isRefused, readUsage } from './api.ts'
import { setUpDecide } from './decide-job.ts'
import { byId, find } from './dom.ts'
import { setUpEdit, setUpGenerate } from './image-jobs.ts'
import { messageOf } from './job-display.ts'
import { JobsView } from './jobs-view.ts'
import { getKey, JOB_FORMS, readKeptJob, setKey } from './session.ts'
import { setUpTabs } from './tabs.ts'
import { setUpUsage, showUsage } from './usage-view.ts'

const VIEWS = ['usage', 'playground', 'jobs'] as const
type View = (typeof VIEWS)[number]

const keysNeeded = document.documentElement.dataset.keys === 'yes'
const keyField = byId('key', HTMLInputElement)

const events = { onAnswer: () => void refresh(), onUnauthorized: dropKey }
const editing = setUpEdit(events)
const resumes = { generate: setUpGenerate(events, editing.edit), edit: editing.resume }
const jobsView = new JobsView({
  onUnauthorized: dropKey,
  edit(picture) {
    location.hash = '#playground'
    editing.edit(picture)
  },
})

function setUp(): void {
  byId('key-form').addEventListener('submit', (event) => {
    event.preventDefault()
    void signIn(keyField.value.trim())
  })
  byId('try-again').addEventListener('click', () => void open(true))
  byId('sign-out').addEventListener('click', () => {
    setKey(undefined)
    // A fresh page forgets all that this one was shown.
    location.reload()
  })
  byId('refresh').addEventListener('click', () => void refresh())
  addEventListener('hashchange', () => {
    // Not for the link that skips to the content.
    if (namedView() !== undefined) showView(true)
  })
  setUpUsage()
  setUpTabs(byId('playground-tabs'))
  setUpDecide(events)
  if (keysNeeded && getKey() === undefined) askForKey()
  else void open(false)
}

async function signIn(key: string): Promise<void> {
  if (!/^[\x21-\x7e]+$/.test(key)) {
    askForKey(key === '' ? 'Enter an API key.' : 'A key has no spaces and only ASCII characters.')
    return
  }
  setKey(key)
  await open(true)
}

async function open(focus: boolean): Promise<void> {
  const key = getKey()
  try {
    const usage = await readUsage()
    if (getKey() !== key) return
    showUsage(usage)
  } catch (error) {
    // An answer to a key that another was given after says nothing of that one.
    if (getKey() !== key) return
    if (isRefused(error)) {
      setKey(undefined)
      askForKey('This server does not take this key: it is unknown, or has expired.')
    } else {
      askForKey(messageOf(error))
      offerAgain()
    }
    return
  }
  keyField.value = ''
  byId('sign-in').hidden = true
  byId('views').hidden = false
  byId('sign-out').hidden = !keysNeeded
  showView(focus)
  resumeJobs()
}

/** Pictures that an earlier load of this page asked for are shown where they were asked for. */
function resumeJobs(): void {
  for (const form of JOB_FORMS) {
    if (readKeptJob(form) === undefined) continue
    byId(`tab-${form}`).click()
    void resumes[form]()
  }
}

function dropKey(): void {
  setKey(undefined)
  askForKey('This key is not accepted any more.')
}

function askForKey(reason = ''): void {
  for (const id of ['views', 'sign-out', 'try-again', ...VIEWS]) byId(id).hidden = true
  jobsView.isShown = false
  byId('sign-in').hidden = false
  byId('key-error').textContent = reason
  keyField.setAttribute('aria-invalid', String(reason !== ''))
  keyField.focus()
}

/** The key of this tab is kept where the server was not reached, and whoever typed it may have it nowhere else. */
function offerAgain(): void {
  keyField.setAttribute('aria-invalid', 'false')
  byId('try-again').hidden = false
  byId('try-again').focus()
}

function namedView(): View | undefined {
  return VIEWS.find((view) => location.hash === `#${view}`)
}

/** Shows the view that the address names, usage where it names none. */
function showView(focus: boolean): void {
  if (byId('views').hidden) return
  const shown = namedView() ?? 'usage'
  for (const view of VIEWS) {
    byId(view).hidden = view !== shown
    const link = find(byId('views'), `a[href="#${view}"]`)
    if (view === shown) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  }
  jobsView.isShown = shown === 'jobs'
  scrollTo(0, 0)
  if (focus) byId(`${shown}-title`).focus()
}

async function refresh(): Promise<void> {
  const problem = byId('usage-error')
  const key = getKey()
  try {
    const usage = await readUsage()
    if (getKey() !== key) return
    showUsage(usage)
    problem.hidden = true
    byId('usage-status').textContent = `Updated ${new Date().toLocaleTimeString('en-GB')}`
  } catch (error) {
    if (getKey() !== key) return
    if (isRefused(error)) {
      dropKey()
      return
    }
    problem.hidden = false
    problem.textContent = messageOf(error)
  }
}

setUp()
