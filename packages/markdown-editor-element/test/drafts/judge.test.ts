import { describe, expect, it } from 'vitest'
import { type Draft, isConflict, judge, type Opening, readDraft } from '../../src/drafts/draft.ts'

const NOW = 1_000_000_000
const MINUTE = 60_000
const ARRIVED = NOW - 1000

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
  served: 'old',
  shown: 'old',
  fields: [],
  arrived: ARRIVED,
}
const title = { name: 'title', value: 'Mine', base: '' }
const shown = { name: 'title', value: '', base: '' }
const stored = { name: 'title', value: 'Mine', base: 'Mine' }
const saved = { served: 'mine', shown: 'mine' }
const sent = { ...draft, sent: ARRIVED - 20 }

describe('judge', () => {
  it.each<[string, Partial<Draft>, Partial<Opening>, string]>([
    ['an unsaved text', {}, {}, 'offer'],
    ['a text whose server text is newer', {}, { served: 'newer', shown: 'newer' }, 'offer'],
    ['a text that the server has stored', {}, { served: 'mine', shown: 'mine' }, 'drop'],
    [
      'a text that the server has stored with other line breaks',
      { text: 'a\nb' },
      { served: 'a\r\nb\r\n' },
      'drop',
    ],
    ['an unchanged text', { text: 'old ' }, {}, 'drop'],
    ['a text that the browser has restored', {}, { shown: 'mine', arrived: null }, 'continue'],
    ['only a title', { text: 'old', fields: [title] }, { fields: [shown] }, 'offer'],
    [
      'a title that the server has not stored',
      { fields: [title] },
      { ...saved, fields: [shown] },
      'offer',
    ],
    [
      'a title that the server has stored',
      { fields: [title] },
      { ...saved, fields: [stored] },
      'drop',
    ],
    [
      'a text that the browser has restored over a newer one',
      {},
      { served: 'newer', shown: 'mine' },
      'offer',
    ],
    [
      'a title that the browser has restored',
      { fields: [title] },
      { shown: 'mine', fields: [title] },
      'continue',
    ],
    ['a title without a field in the form', { fields: [title] }, saved, 'drop'],
  ])('%s', (_, ofDraft, ofOpening, verdict) => {
    expect(judge({ ...draft, ...ofDraft }, { ...opening, ...ofOpening })).toBe(verdict)
  })

  it.each<[string, Partial<Draft>, Partial<Opening>, string]>([
    [
      'the form with the text as the answer',
      {},
      { served: 'mine', shown: 'mine', arrived: null },
      'continue',
    ],
    ['the unchanged form as the answer', {}, {}, 'offer'],
    [
      'the form with the text, later',
      { sent: NOW - MINUTE },
      { served: 'mine', shown: 'mine' },
      'drop',
    ],
    ['the unchanged form, later', { sent: NOW - MINUTE }, {}, 'offer'],
    [
      'the form with the text, in a page that is older than the draft',
      { time: NOW - 500, sent: null },
      { served: 'mine', shown: 'mine' },
      'continue',
    ],
  ])('a submitted text, then %s', (_, ofDraft, ofOpening, verdict) => {
    expect(judge({ ...sent, ...ofDraft }, { ...opening, ...ofOpening })).toBe(verdict)
  })
})

describe('isConflict', () => {
  it('is true if the text in the field is not the base of the draft (F21)', () => {
    expect(isConflict(draft, 'old', 'old')).toBe(false)
    expect(isConflict(draft, 'newer', 'newer')).toBe(true)
    expect(isConflict(draft, 'old', 'old and typed')).toBe(true)
  })

  it('is true if the browser has restored the draft over a newer text of the server (F21)', () => {
    expect(isConflict(draft, 'newer', 'mine')).toBe(true)
    expect(isConflict(draft, 'old', 'mine')).toBe(false)
    expect(isConflict(draft, 'mine', 'mine')).toBe(false)
  })
})

describe('readDraft', () => {
  it('reads what was written', () => {
    expect(readDraft(JSON.parse(JSON.stringify(draft)))).toEqual(draft)
    expect(readDraft({ ...sent, fields: [title] })).toEqual({ ...sent, fields: [title] })
  })

  it.each([
    null,
    'text',
    [],
    {},
    { ...draft, id: 7 },
    { ...draft, fields: undefined },
    { ...draft, text: null },
    { ...draft, base: {} },
    { ...draft, time: Number.NaN },
    { ...draft, time: '1' },
    { ...draft, expires: Number.POSITIVE_INFINITY },
    { ...draft, sent: 'yes' },
    { ...draft, fields: { title: 'x' } },
    { ...draft, fields: [null] },
    { ...draft, fields: [{ ...title, value: 7 }] },
  ])('rejects an invalid draft (%#)', (value) => {
    expect(readDraft(value)).toBeNull()
  })
})
