import type { QuillgateError } from '@quillgate/server/core'
import type { ByteRange } from '@quillgate/storage'
import { editorError } from '../errors.ts'

/**
 * Reads a `Range` header (RFC 9110, 14.2).
 *
 * @param size length of the whole file in bytes
 * @returns null when the whole file is the answer: no header, another unit, several ranges, or a
 * header that is malformed
 * @throws QuillgateError 416 `range_not_satisfiable` with `content-range` when the file has no such
 * bytes
 */
export function parseByteRange(header: string | null, size: number): ByteRange | null {
  const [, first, last] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  if (start > end) throw notSatisfiable(size)
  return { start, end }
}

function notSatisfiable(size: number): QuillgateError {
  return editorError(
    'range_not_satisfiable',
    `The file has ${size} bytes. Ask for a range within them.`,
    {
      headers: { 'content-range': `bytes */${size}` },
    },
  )
}
