import type { QuestionsInput } from '../../src/schemas/index.ts'

const EXTENT = ['not at all', 'in passing', 'in a paragraph', 'at length']

/** Sixteen questions of about 40 tokens each, of all types, about the state of `request.ts`. */
export const QUESTIONS: QuestionsInput = {
  patents: {
    type: 'noul',
    instructions:
      'Does the text grant its reader a license to patents that the contributors hold, and not only copyright?',
    criteria: { true: 'It names a patent license', false: 'It speaks of copyright alone' },
  },
  warranty: {
    type: 'noul',
    instructions: 'Does the author promise that the work is fit for a particular purpose or free of defects?',
    criteria: { true: 'Some warranty is given', false: 'It comes as it is' },
  },
  trademarks: {
    type: 'noul',
    instructions: 'May somebody who passes the work on use the names and trademarks of the licensor in advertising?',
    criteria: { true: 'Yes, without asking', false: 'No, or only to describe the origin' },
  },
  source: {
    type: 'noul',
    instructions: 'Must whoever distributes a changed version also hand out the source code of all of their changes?',
    criteria: { true: 'Source is demanded', false: 'Object form alone is allowed' },
  },
  kind: {
    type: 'choice',
    instructions: 'What kind of document is this, judged by its form and by what it wants from the reader?',
    criteria: { contract: 'a license or contract', news: 'a report', manual: 'instructions', letter: 'a letter' },
  },
  reader: {
    type: 'choice',
    instructions: 'For which of these readers does the document matter most in their daily work?',
    criteria: { lawyer: 'legal counsel', programmer: 'software developers', buyer: 'customers', press: 'journalists' },
  },
  tone: {
    type: 'choice',
    instructions: 'Which tone does the author of the document keep from the first section to the last?',
    criteria: { formal: 'formal and precise', warm: 'friendly', angry: 'full of complaint', playful: 'joking' },
  },
  action: {
    type: 'choice',
    instructions: 'What does the document ask of a person who passes the work on to others?',
    criteria: { notice: 'keep the notices', pay: 'pay a fee', ask: 'ask for consent', nothing: 'nothing at all' },
  },
  region: {
    type: 'choice',
    instructions: 'Which region do the rights that the document grants hold for, according to its own words?',
    criteria: { world: 'the whole world', america: 'the United States', europe: 'Europe', unclear: 'not stated' },
  },
  ending: {
    type: 'choice',
    instructions: 'What makes the patent rights of a user end, according to the section about patents?',
    criteria: { suit: 'suing over patents', time: 'some years', sale: 'selling copies', never: 'nothing ends them' },
  },
  clarity: {
    type: 'score',
    instructions: 'How easily could a person without any legal training follow the wording of the document?',
    criteria: ['not at all', 'with much effort', 'mostly', 'without effort'],
  },
  strictness: {
    type: 'score',
    instructions: 'How much does the document restrict what a company may do with the work in its products?',
    criteria: ['hardly', 'a little', 'noticeably', 'severely'],
  },
  liability: {
    type: 'score',
    instructions: 'How far does the document speak about damages, and about who is liable when some harm is done?',
    criteria: EXTENT,
  },
  contributions: {
    type: 'score',
    instructions: 'How far does the document speak about work that others submit to be included in the original?',
    criteria: EXTENT,
  },
  examples: {
    type: 'score',
    instructions: 'How far does the document explain its own rules with examples that a newcomer could copy?',
    criteria: EXTENT,
  },
  definitions: {
    type: 'score',
    instructions: 'How far does the document define the words it uses before it states any right or duty?',
    criteria: EXTENT,
  },
}
