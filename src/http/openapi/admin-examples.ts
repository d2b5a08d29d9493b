const NAME = 'key_0123456789ab'
const MONTHS = { from: '2026-11', to: '2026-11' }

/** Requests and answers of the operations for operators. */
export const ADMIN_EXAMPLES = {
  KeyList: {
    keys: [
      {
        name: NAME,
        prefix: 'tsr_Zk3vQ',
        account: 'shop',
        scopes: ['decide'],
        created: '2026-11-30T10:00:00.000Z',
        requests_per_minute: 600,
        prepaid: '25',
      },
    ],
  },
  NewKey: { account: 'shop', scopes: ['decide'], expires: '2099-01-31T00:00:00Z', prepaid: '25' },
  MadeKey: { key: 'tsr_Zk3vQ1y9T0aXw5n2c8LrJ4hU7eGdSbPoMiFtKqVxYzA', name: NAME, account: 'shop' },
  KeyRevocation: { name: NAME },
  KeyRotation: { name: NAME, overlap_seconds: 3600 },
  TopUp: { account: 'shop', amount: '10.00' },
  Changed: { account: 'shop', prepaid: '35' },
  Balances: {
    accounts: [
      {
        account: 'shop',
        free_tokens: { given: 1_000_000, left: 999_928 },
        prepaid: { given: '35', left: '34.999' },
      },
    ],
  },
  UsageExport: {
    ...MONTHS,
    rows: [
      {
        month: '2026-11',
        account: 'shop',
        endpoint: 'decisions',
        requests: 1,
        input_tokens: 72,
        images: 0,
        cost: '0.000002808',
      },
    ],
  },
  Audit: {
    ...MONTHS,
    entries: [
      {
        time: '2026-11-30T10:00:00.000Z',
        actor: 'key_ba9876543210',
        action: 'topup',
        account: 'shop',
        detail: '10 EUR',
      },
    ],
  },
} as const
