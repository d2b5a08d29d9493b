import { defineConfig } from 'vitepress'

const GUIDES = [
  { text: 'Questions and thresholds', link: '/decisions' },
  { text: 'Choosing a model', link: '/choosing-a-model' },
  { text: 'Pictures and edits', link: '/images' },
  { text: 'How well does it answer?', link: '/evaluation' },
]

const RUNNING = [
  { text: 'Engines and their options', link: '/options' },
  { text: 'Command line', link: '/command-line' },
  { text: 'Production and Docker', link: '/production' },
  { text: 'From one process to a fleet', link: '/scaling' },
  { text: 'Browsers and bundlers', link: '/browsers' },
  { text: 'Next.js', link: '/next' },
  { text: 'Electron', link: '/electron' },
  { text: 'Lambda and small images', link: '/lambda' },
]

const REFERENCE = [
  { text: 'API', link: '/api/' },
  { text: 'The HTTP service', link: '/service' },
  { text: 'Operating the service', link: '/operations' },
  { text: 'Errors', link: '/errors' },
  { text: 'Decision models', link: '/models' },
  { text: 'The embedded models', link: '/embedded-models' },
  { text: 'Speed', link: '/speed' },
  { text: 'Checkpoints in full size', link: '/full-size' },
  { text: 'Files of models', link: '/files' },
  { text: 'Backends', link: '/backends' },
  { text: 'What the specification leaves open', link: '/spec-notes' },
  { text: 'Attention on WebGPU', link: '/webgpu-attention' },
]

const HELP = [
  { text: 'Troubleshooting', link: '/troubleshooting' },
  { text: 'Questions people ask', link: '/faq' },
  { text: 'Glossary', link: '/glossary' },
]

export default defineConfig({
  title: 'Tessera',
  description: 'generateImage, editImage and decide inside a Node or browser app, on ONNX Runtime',
  lang: 'en',
  outDir: '../out/site',
  cacheDir: '../out/site-cache',
  cleanUrls: true,
  // The default colours of code are too faint for some of it.
  markdown: { theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/install' },
      { text: 'API', link: '/api/' },
      { text: 'Troubleshooting', link: '/troubleshooting' },
    ],
    sidebar: [
      {
        text: 'Start',
        items: [
          { text: 'What it is', link: '/' },
          { text: 'Install', link: '/install' },
        ],
      },
      { text: 'Guides', items: GUIDES },
      { text: 'Running it', items: RUNNING },
      { text: 'Reference', items: REFERENCE },
      { text: 'Help', items: HELP },
    ],
  },
})
