import { findMediaIds } from '@quillgate/markdown/media-urls'
import { invalidRequest, type QuillgateError } from '@quillgate/server/core'
import { REFERENCE_LIMITS } from './schema.ts'

/** A record of the application, by which the ledger remembers who references a file. */
export interface RecordKey {
  /** Kind of record, for example the table's name; at most 128 characters. */
  readonly type: string
  /** Its primary key; at most 255 characters as text. */
  readonly id: string | number
}

/**
 * The texts of a record. One text or a list: all texts of the record. An object from field to text:
 * only these fields were written, and references from other fields stay. `null` is an empty text,
 * `undefined` a field that was not written.
 */
export type RecordTexts =
  | string
  | null
  | readonly (string | null | undefined)[]
  | Readonly<Record<string, string | null | undefined>>

/** The media ids that each written field mentions. */
export interface Mentions {
  /** True: fields that are not listed have no text any more. */
  readonly whole: boolean
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>
}

/** The field under which the media of one text or a list are remembered. */
const UNNAMED_FIELD = ''

/** @throws QuillgateError `invalid_request` (400) for a part that is empty or too long */
export function parseRecordKey(record: RecordKey): { type: string; id: string } {
  const type = record?.type
  const id = typeof record?.id === 'number' ? String(record.id) : record?.id
  checkName('record.type', type, REFERENCE_LIMITS.type)
  checkName('record.id', id, REFERENCE_LIMITS.id)
  return { type, id }
}

/**
 * Finds every mention of a media id, code samples included: too many references only keep a file,
 * too few lose it.
 * @throws QuillgateError `invalid_request` (400) when a text is no string
 */
export function readMentions(texts: RecordTexts): Mentions {
  if (texts === null || typeof texts === 'string' || Array.isArray(texts)) {
    const all = ([] as unknown[]).concat(texts ?? [])
    const ids = new Set(all.flatMap((text) => [...idsIn(text, 'texts')]))
    return { whole: true, fields: new Map([[UNNAMED_FIELD, ids]]) }
  }
  if (typeof texts !== 'object') throw notText('texts')
  const fields = new Map<string, ReadonlySet<string>>()
  for (const [field, text] of Object.entries(texts)) {
    if (text === undefined) continue
    checkName('A field of texts', field, REFERENCE_LIMITS.field)
    fields.set(field, idsIn(text, `texts.${field}`))
  }
  return { whole: false, fields }
}

function idsIn(text: unknown, name: string): ReadonlySet<string> {
  if (text === null || text === undefined) return new Set()
  if (typeof text !== 'string') throw notText(name)
  return findMediaIds(text)
}

function checkName(name: string, value: unknown, longest: number): asserts value is string {
  // PostgreSQL stores no U+0000, and a lone surrogate is no character in any of the databases.
  const isName =
    typeof value === 'string' &&
    value !== '' &&
    value.length <= longest &&
    !value.includes('\0') &&
    value.isWellFormed()
  if (!isName) throw invalidRequest(`${name} must be a text of 1 to ${longest} characters.`)
}

function notText(name: string): QuillgateError {
  return invalidRequest(`${name} must be a string, null, or a list or object of these.`)
}
