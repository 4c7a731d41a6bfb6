/** The limits of a form. Above them it is rejected while it arrives. */
export interface MultipartLimits {
  /** Largest file, in bytes. */
  readonly maxFileSize: number
  /** Most files in one request. @default 10 */
  readonly maxFiles?: number
  /** Most other fields in one request. @default 20 */
  readonly maxFields?: number
  /** Largest value of a field, in bytes. @default 65536 */
  readonly maxFieldSize?: number
}

/** Limits that a form has if none are given. */
export const DEFAULT_LIMITS = { maxFiles: 10, maxFields: 20, maxFieldSize: 65_536 } as const

/** Most header lines of a part. */
export const MAX_HEADERS = 32
/** Largest header of a part, in bytes. */
export const MAX_HEADER_BYTES: number = 16 * 1024
// A part has its headers and its boundary around it.
const MAX_OVERHEAD = MAX_HEADER_BYTES + 1024

/** Returns the largest form in bytes, because the text around its parts could be endless. */
export function maxFormSize({
  maxFiles,
  maxFileSize,
  maxFields,
  maxFieldSize,
}: Required<MultipartLimits>): number {
  return maxFiles * (maxFileSize + MAX_OVERHEAD) + maxFields * (maxFieldSize + MAX_OVERHEAD)
}
