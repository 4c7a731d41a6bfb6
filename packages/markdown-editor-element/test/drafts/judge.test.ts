import { describe, expect, it } from 'vitest'
import { type Draft, isConflict, judge, type Opening, readDraft } from '../../src/drafts/draft.ts'

const NOW = 1_000_000_000
const MINUTE = 60_000

const draft: Draft = {
  id: 'a',
  key: 'post/1/body',
  user: 'ada',
  time: NOW - 10 * MINUTE,
  expires: NOW + 50 * MINUTE,
  text: 'mine',
  base: 'old',
  fields: [],
  sent: null,
}
const opening: Opening = {
  key: 'post/1/body',
  user: 'ada',
  served: 'old',
  shown: 'old',
  fields: [],
  arrived: NOW - 1000,
  ordinary: true,
  now: NOW,
  alive: new Set(),
}
const title = { name: 'title', value: 'Mine', base: '' }
const shown = { name: 'title', value: '', base: '' }
const stored = { name: 'title', value: 'Mine', base: 'Mine' }
const saved = { served: 'mine', shown: 'mine' }
const sent = { ...draft, sent: opening.arrived - 20 }

describe('judge', () => {
  it.each<[string, Partial<Draft>, Partial<Opening>, string]>([
    ['an unsaved text', {}, {}, 'offer'],
    ['a text whose server text is newer', {}, { served: 'newer', shown: 'newer' }, 'offer'],
    ['a text that the server has', {}, { served: 'mine', shown: 'mine' }, 'drop'],
    [
      'a text that the server has with other line breaks',
      { text: 'a\nb' },
      { served: 'a\r\nb\r\n' },
      'drop',
    ],
    ['a text of somebody else', { user: 'eve' }, {}, 'leave'],
    ['a text of nobody', { user: '' }, {}, 'leave'],
    ['a text for another field', { key: 'post/2/body' }, {}, 'leave'],
    ['a text that another tab is writing', {}, { alive: new Set(['a']) }, 'leave'],
    ['a text that is too old', { expires: NOW - 1 }, {}, 'drop'],
    ['a text that changed nothing', { text: 'old ' }, {}, 'drop'],
    ['a text that the browser has put back', {}, { shown: 'mine', ordinary: false }, 'continue'],
    ['a title alone', { text: 'old', fields: [title] }, { fields: [shown] }, 'offer'],
    ['a title that the server lacks', { fields: [title] }, { ...saved, fields: [shown] }, 'offer'],
    ['a title that the server has', { fields: [title] }, { ...saved, fields: [stored] }, 'drop'],
    [
      'a title that the browser has put back',
      { fields: [title] },
      { shown: 'mine', fields: [title] },
      'continue',
    ],
    ['a title of which the form knows nothing', { fields: [title] }, saved, 'drop'],
  ])('%s', (_, ofDraft, ofOpening, verdict) => {
    expect(judge({ ...draft, ...ofDraft }, { ...opening, ...ofOpening })).toBe(verdict)
  })

  it.each<[string, Partial<Draft>, Partial<Opening>, string]>([
    [
      'the form again, with the text, as the answer',
      {},
      { served: 'mine', shown: 'mine', ordinary: false },
      'continue',
    ],
    [
      'the same, reloaded',
      {},
      { served: 'mine', shown: 'mine', arrived: NOW, ordinary: false },
      'continue',
    ],
    ['the form as it was, as the answer', {}, {}, 'offer'],
    [
      'the form, later, with the text',
      { sent: NOW - MINUTE },
      { served: 'mine', shown: 'mine' },
      'drop',
    ],
    ['the form, later, as it was', { sent: NOW - MINUTE }, {}, 'offer'],
    [
      'the form with the text, in a page that is older than the draft',
      { time: NOW - 500, sent: null },
      { served: 'mine', shown: 'mine' },
      'continue',
    ],
  ])('a sent text, then %s', (_, ofDraft, ofOpening, verdict) => {
    expect(judge({ ...sent, ...ofDraft }, { ...opening, ...ofOpening })).toBe(verdict)
  })
})

describe('isConflict', () => {
  it('F21: is true when the text in the field is not the one that the draft began from', () => {
    expect(isConflict(draft, { served: 'old', shown: 'old' })).toBe(false)
    expect(isConflict(draft, { served: 'newer', shown: 'newer' })).toBe(true)
    expect(isConflict(draft, { served: 'old', shown: 'old and typed' })).toBe(true)
  })

  it('F21: is true when the browser has put the draft over a newer text of the server', () => {
    expect(isConflict(draft, { served: 'newer', shown: 'mine' })).toBe(true)
    expect(isConflict(draft, { served: 'old', shown: 'mine' })).toBe(false)
    expect(isConflict(draft, { served: 'mine', shown: 'mine' })).toBe(false)
  })
})

describe('readDraft', () => {
  it('takes what it wrote', () => {
    expect(readDraft(JSON.parse(JSON.stringify(draft)), NOW)).toEqual(draft)
    expect(readDraft({ ...sent, fields: [title] }, NOW)).toEqual({ ...sent, fields: [title] })
    expect(readDraft({ ...draft, fields: undefined }, NOW)).toEqual(draft)
  })

  it.each([
    null,
    'text',
    [],
    {},
    { ...draft, id: 7 },
    { ...draft, text: null },
    { ...draft, base: {} },
    { ...draft, user: 'x'.repeat(1001) },
    { ...draft, text: 'x'.repeat(8_000_001) },
    { ...draft, time: Number.NaN },
    { ...draft, time: '1' },
    { ...draft, expires: Number.POSITIVE_INFINITY },
    { ...draft, sent: 'yes' },
    { ...draft, sent: undefined },
    { ...draft, fields: { title: 'x' } },
    { ...draft, fields: [null] },
    { ...draft, fields: [{ ...title, value: 7 }] },
    { ...draft, fields: Array(51).fill(title) },
  ])('refuses what is no draft (%#)', (value) => {
    expect(readDraft(value, NOW)).toBeNull()
  })

  it('lets no draft be from later', () => {
    expect(readDraft({ ...draft, time: NOW * 2, sent: NOW * 3 }, NOW)).toMatchObject({
      time: NOW,
      sent: NOW,
    })
  })
})
