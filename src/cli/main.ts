#!/usr/bin/env node
import { runArguments } from './main-command.ts'
import { endWithoutReader } from './run-command.ts'
import { endStopped, endUnread } from './until-interrupted.ts'

process.stdout.on('error', endWithoutReader)
// What goes there is for whoever reads it. A service goes on without, and the exit status stays that of the work.
process.stderr.on('error', () => {})

await runArguments(process.argv.slice(2))

// A parent with a channel, such as pm2 or node:cluster, listens in this process, which would keep it when all is done.
process.channel?.unref()
endStopped(process.exitCode)
endUnread()
