import colors from 'picocolors'
import type { Answer, DecisionResponse } from '../../schemas/index.ts'

const BAR = 24

function bar(probability: number): string {
  const filled = Math.round(probability * BAR)
  return '█'.repeat(filled) + '░'.repeat(BAR - filled)
}

function percent(probability: number): string {
  return `${(probability * 100).toFixed(1).padStart(5)} %`
}

/** What an answer says in a few words, and its distribution: [label, probability]. */
function describeAnswer(answer: Answer): { verdict: string; rows: [string, number][] } {
  if (answer.type === 'noul') {
    return {
      verdict: answer.noul >= 0.5 ? 'yes' : 'no',
      rows: [
        ['yes', answer.noul],
        ['no', 1 - answer.noul],
      ],
    }
  }
  const rows = Object.entries(answer.probabilities as Record<string, number>)
  if (answer.type === 'choice') return { verdict: answer.choice, rows }
  const levels = rows.map(([level, probability]): [string, number] => {
    const text = answer.legend[level]
    return [`${level} ${typeof text === 'string' ? text : JSON.stringify(text)}`, probability]
  })
  return { verdict: `${answer.score.toFixed(2)} of ${rows.length - 1}`, rows: levels }
}

function shorten(label: string, width: number): string {
  return label.length > width ? `${label.slice(0, width - 1)}…` : label.padEnd(width)
}

/** A decision for people: one block a question with bars for the probabilities. Plain text where colours are off. */
export function formatDecision(response: DecisionResponse): string {
  const { symbol_mass = {} } = response
  const blocks = Object.entries(response.answers).map(([name, answer]) => {
    const { verdict, rows } = describeAnswer(answer)
    const sure = answer.confidence === undefined ? '' : `  confidence ${answer.confidence.toFixed(2)}`
    const mass = symbol_mass[name] === undefined ? '' : `  symbol mass ${symbol_mass[name].toFixed(3)}`
    const open = answer.decided === false ? `  ${colors.yellow('undecided')}` : ''
    const width = Math.min(36, Math.max(...rows.map(([label]) => label.length)))
    const most = Math.max(...rows.map(([, probability]) => probability))
    const lines = rows.map(([label, probability]) => {
      const line = `  ${shorten(label, width)}  ${bar(probability)} ${percent(probability)}`
      return probability === most ? line : colors.dim(line)
    })
    return [`${colors.bold(name)}: ${colors.green(verdict)}${colors.dim(sure + mass)}${open}`, ...lines].join('\n')
  })
  const { model, usage, latency_ms } = response
  return `${blocks.join('\n\n')}\n\n${colors.dim(`${model} · ${usage.input_tokens} tokens · ${latency_ms} ms`)}`
}
