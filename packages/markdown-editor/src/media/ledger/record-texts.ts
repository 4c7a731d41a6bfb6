import { findMediaIds } from '@quillgate/markdown/media-urls'
import { invalidRequest, isStorableText, type QuillgateError } from '@quillgate/server/core'
import { REFERENCE_LIMITS } from './schema.ts'

/** The type and the primary key of a record of the application. */
export interface RecordKey {
  /** The kind of record, for example the name of the table, of at most 128 characters. */
  readonly type: string
  /** The primary key of the record, of at most 255 characters as text. */
  readonly id: string | number
}

/**
 * The texts of a record. A single text or a list replaces all texts of the record. An object from
 * field to text replaces only its fields. References from other fields are kept. `null` means an
 * empty text. `undefined` means that the field was not written.
 */
export type RecordTexts =
  | string
  | null
  | readonly (string | null | undefined)[]
  | Readonly<Record<string, string | null | undefined>>

/** The media ids in the written fields of a record. */
export interface Mentions {
  /** True if `fields` replaces all texts of the record. */
  readonly whole: boolean
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>
}

/** The field name for the references of a single text or a list. */
const UNNAMED_FIELD = ''

/** Returns the key with its id as text. Throws `invalid_request` (400) for an invalid key. */
export function parseRecordKey(record: RecordKey): { type: string; id: string } {
  const type = record?.type
  const id = typeof record?.id === 'number' ? String(record.id) : record?.id
  checkName('record.type', type, REFERENCE_LIMITS.type)
  checkName('record.id', id, REFERENCE_LIMITS.id)
  return { type, id }
}

/**
 * Finds the media ids in texts, even in code. An unneeded reference only keeps a file, but a
 * missing reference could cause a deletion.
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
    checkName('The name of a field in texts', field, REFERENCE_LIMITS.field)
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
  if (isStorableText(value, longest)) return
  throw invalidRequest(`${name} must be a string of 1 to ${longest} characters.`)
}

function notText(name: string): QuillgateError {
  return invalidRequest(
    `${name} must be a string or null, or a list or an object of strings and nulls.`,
  )
}
