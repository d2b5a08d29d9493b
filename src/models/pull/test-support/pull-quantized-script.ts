import { pullQuantized } from '../pull-quantized.ts'

// Started as a process of its own by a test, which ends it while the weights arrive.
await pullQuantized({
  id: 'owner/model',
  out: process.argv[2]!,
  bits: 8,
  blockSize: 32,
  threads: 2,
  onProgress: ({ file, done, total }) => {
    if (done < total) process.stdout.write(`${file} ${done}\n`)
  },
})
