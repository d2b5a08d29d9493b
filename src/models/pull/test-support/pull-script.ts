import { pullModel } from '../pull-model.ts'

// Started as a process of its own by a test, which ends it while the weights arrive.
await pullModel({
  id: 'owner/model',
  onProgress: ({ file, done, total }) => {
    if (done > 8000 && done < total) process.stdout.write(`${file}\n`)
  },
})
