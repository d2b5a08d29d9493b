import { connectProcess } from '../pool/process-connection.ts'
import { connectWorker } from '../pool/worker-connection.ts'

// An app that prints the error with which its engine's worker does not start. Arguments: thread or process, URL of the worker's file.
const [kind, url = ''] = process.argv.slice(2)
const connect = kind === 'process' ? connectProcess(new URL(url)) : connectWorker(new URL(url))
try {
  connect({ onMessage() {}, onCrash() {} })
} catch (error) {
  const { code, retryable, message } = error as Record<string, unknown>
  process.stdout.write(JSON.stringify({ code, retryable, message }))
}
