import { createEngine } from './tessera/index.js'

const element = (id) => document.getElementById(id)
// Add ?backend=wasm or ?backend=webgpu to the address to ask for one.
const backend = new URLSearchParams(location.search).get('backend') ?? 'auto'

const QUESTIONS = {
  urgent: { type: 'noul', instructions: 'Does the writer want an answer soon?' },
  topic: {
    type: 'choice',
    instructions: 'What is the message about?',
    criteria: { damage: 'Something arrived broken', invoice: 'A bill or a payment', praise: 'The writer is content' },
  },
}

try {
  const engine = await createEngine({ backend, runtimeUrl: '/onnxruntime/', modelsUrl: '/models/' })
  const { backend: running, reason, selfTest } = engine.backendInfo()
  const note = selfTest?.reason ? `. Note: ${selfTest.reason}` : ''
  element('backend').textContent = `Runs on ${running}: ${reason}${note}`
  // A page that is kept for the button "back" goes on where it was.
  addEventListener('pagehide', ({ persisted }) => {
    if (!persisted) void engine.dispose()
  })

  connect('decide', async () => {
    const { answers } = await engine.decide({ state: element('state').value, questions: QUESTIONS }, { onProgress })
    element('answers').textContent = JSON.stringify(answers, undefined, 2)
  })
  connect('draw', async () => {
    const prompt = element('prompt').value
    show(await engine.generateImage({ prompt, size: '256x256' }, { onProgress }), prompt)
  })
  connect('edit', async () => {
    const prompt = element('change').value
    const image = element('picture').src
    if (image === '') throw new Error('draw a picture first')
    show(await engine.editImage({ prompt, image }, { onProgress }), prompt)
  })
} catch (error) {
  element('backend').textContent = error.message
}

function show({ data: [picture] }, prompt) {
  element('picture').src = `data:image/png;base64,${picture.b64_json}`
  element('picture').alt = prompt
  element('picture').hidden = false
}

/** One job at a time: its button is off while it runs, and what goes wrong is said. */
function connect(id, job) {
  const button = element(id)
  button.disabled = false
  button.addEventListener('click', async () => {
    button.disabled = true
    try {
      await job()
      element('status').textContent = 'Done'
    } catch (error) {
      element('status').textContent = error.message
    } finally {
      button.disabled = false
      element('progress').hidden = true
    }
  })
}

function onProgress({ stage, done, total }) {
  element('progress').hidden = false
  element('progress').value = total === 0 ? 0 : done / total
  const words = stage === 'downloading' ? `Downloading, ${(done / 1e6).toFixed(1)} MB` : `${stage} ${done}/${total}`
  element('status').textContent = words
}
