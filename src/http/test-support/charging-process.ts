import { Ledger, type Payer } from '../usage/ledger.ts'
import { DEFAULT_PRICES } from '../usage/prices.ts'
import { openSqliteStore } from '../usage/sqlite-store.ts'

/** A process for tests to kill: it charges pictures to an SQLite file, one after another, and says so of each. */
const [, , file] = process.argv
const payer: Payer = { id: 'shop', prepaid: '1000000' }
const ledger = new Ledger(openSqliteStore(file!), DEFAULT_PRICES)
for (;;) {
  const held = await ledger.reserve(payer, { endpoint: 'edits', foresee: () => 1 })
  await held.settle(1)
  process.stdout.write('charged\n')
  await new Promise((resolve) => setImmediate(resolve))
}
