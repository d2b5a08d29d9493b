#!/usr/bin/env node
import { defineCommand, runMain } from 'citty'
import { decideCommand } from './decide-command.ts'
import { doctorCommand, packageVersion } from './doctor-command.ts'
import { modelsCommand } from './models-command.ts'

const main = defineCommand({
  meta: async () => ({ name: 'tessera', version: await packageVersion(), description: 'Typed decisions and images on ONNX Runtime, in your own process' }),
  subCommands: { decide: decideCommand, models: modelsCommand, doctor: doctorCommand },
})

await runMain(main)
