import type { UsageReport } from '../http/routes/usage-route.ts'
import { byId, chosen, make } from './dom.ts'
import { formatDuration, formatTime, formatUnits } from './format.ts'

type Recent = UsageReport['recent']

const ALL = 'all'

const MEANINGS: Readonly<Record<number, string>> = {
  200: 'answered',
  402: 'no quota left',
  404: 'not found',
  413: 'too large',
  415: 'not JSON',
  422: 'invalid',
  429: 'rate limited',
  499: 'client hung up',
  500: 'server fault',
  503: 'unavailable',
  529: 'busy',
}

let recent: Recent = []

export function setUpRecent(): void {
  byId('statuses').addEventListener('change', drawTable)
}

/** Lists the requests, with a choice of status where there is one to make. */
export function showRecent(requests: Recent): void {
  recent = requests
  const group = byId('statuses')
  const statuses = [...new Set(recent.map(({ status }) => status))].sort((a, b) => a - b).map(String)
  const before = group.querySelector<HTMLInputElement>('input:checked')?.value
  const current = before !== undefined && statuses.includes(before) ? before : ALL
  group.hidden = statuses.length < 2
  group.replaceChildren(
    make('legend', { class: 'visually-hidden' }, 'Status'),
    ...[ALL, ...statuses].map((status) => makeChoice(status, status === current)),
  )
  drawTable()
}

function withStatus(status: string): Recent {
  return status === ALL ? recent : recent.filter((request) => String(request.status) === status)
}

function makeChoice(status: string, checked: boolean): HTMLElement {
  const input = make('input', { type: 'radio', name: 'status', value: status })
  input.checked = checked
  const count = make('small', {}, ` (${withStatus(status).length})`)
  return make('label', {}, input, make('span', {}, status === ALL ? 'All' : status, count))
}

function drawTable(): void {
  const shown = withStatus(chosen(byId('statuses'), 'status'))
  const table = byId('recent-table')
  if (shown.length === 0) {
    table.replaceChildren(make('p', { class: 'empty' }, 'No requests yet. The playground makes some.'))
    return
  }
  const head = ['Status', 'Request', 'Time taken', 'Used', 'When'].map((name) => make('th', { scope: 'col' }, name))
  table.replaceChildren(
    make(
      'table',
      { class: 'requests' },
      make('caption', { class: 'visually-hidden' }, 'Recent requests, newest first'),
      make('thead', {}, make('tr', {}, ...head)),
      make('tbody', {}, ...shown.map(makeRow)),
    ),
  )
}

function makeRow({ status, route, milliseconds, units, time }: Recent[number]): HTMLElement {
  const unit = route.startsWith('/v1/images/') ? 'image' : 'token'
  const mark = make('span', { class: `status ${status < 400 ? 'good' : 'bad'}` }, String(status))
  return make(
    'tr',
    {},
    make('td', {}, mark, ' ', make('span', { class: 'hint' }, MEANINGS[status] ?? '')),
    make('td', {}, make('code', {}, route)),
    make('td', {}, formatDuration(milliseconds)),
    make('td', {}, units === 0 ? '' : formatUnits(units, unit)),
    make('td', {}, make('time', { datetime: time }, formatTime(time))),
  )
}
