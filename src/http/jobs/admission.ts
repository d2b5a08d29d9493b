/** What is not refused by then is a job, as one whose key another request holds, which it waits for. */
const ACCEPT_MS = 5000

/** The time in which a request may still be refused. */
export function openAdmission() {
  let isOpen = true
  let admit = () => {}
  let reject: (thrown: unknown) => void = () => {}
  const accepted = new Promise<void>((resolve, refuse) => {
    admit = resolve
    reject = refuse
  })
  // Whoever finds the job by its key may not be there yet.
  accepted.catch(() => {})
  const end = () => {
    clearTimeout(timer)
    isOpen = false
  }
  const timer = setTimeout(() => settle(), ACCEPT_MS).unref()
  const settle = () => {
    end()
    admit()
  }
  return {
    accepted,
    admit: settle,
    close: end,
    /** @returns whether it was in time */
    refuse(thrown: unknown): boolean {
      const wasOpen = isOpen
      end()
      reject(thrown)
      return wasOpen
    },
  }
}
