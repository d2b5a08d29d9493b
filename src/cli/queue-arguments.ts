export const queuePlaintextArgument = {
  'queue-plaintext': {
    type: 'boolean',
    default: false,
    description: 'have the queue hold prompts, states and pictures readable; else TESSERA_QUEUE_KEYS seals them',
  },
} as const
