/** What Chromium and Firefox, and what WebKit says; none has a type or a code of its own for it. */
const FAILED_IMPORT = /dynamically imported module|^Importing a module script failed/

/** Whether a part of the library could not be loaded in a browser, which may keep that failure for as long as the thread is there. */
export function isCodeMissing(error: unknown): boolean {
  return error instanceof TypeError && FAILED_IMPORT.test(error.message)
}
