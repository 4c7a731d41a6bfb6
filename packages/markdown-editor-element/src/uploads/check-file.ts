import { EXTENSIONS, mayBeAllowed, toMediaType, UNKNOWN_TYPE } from '../contract/upload-types.ts'
import type { AllStrings } from '../i18n/strings.ts'

interface FileLimits {
  /** Media types separated by spaces. Null allows all types. */
  readonly types: string | null
  /** The maximum size in bytes. Null means no limit. */
  readonly maxSize: number | null
  readonly locale: string
}

/** Reads the limits from the attributes. Ignores an invalid size. */
export function limitsOf(host: HTMLElement): FileLimits {
  const maxSize = Number(host.getAttribute('max-upload-size'))
  return {
    types: host.getAttribute('upload-types'),
    maxSize: maxSize > 0 ? maxSize : null,
    locale: host.getAttribute('locale') || 'en',
  }
}

/** Returns why a file cannot be uploaded, or null. The server makes the final decision. */
export function problemOf(
  file: Pick<File, 'name' | 'size' | 'type'>,
  { types, maxSize, locale }: FileLimits,
  strings: AllStrings,
): string | null {
  if (file.size === 0) return strings.fileEmpty(file.name)
  if (maxSize !== null && file.size > maxSize) {
    return strings.fileTooLarge(
      file.name,
      formatSize(file.size, locale),
      formatSize(maxSize, locale),
    )
  }
  if (types !== null && !isAccepted(file, types.split(/\s+/)))
    return strings.typeRefused(file.name, extensionsOf(types))
  return null
}

/** Checks the type of a file. Wildcards and extensions match as in the attribute `accept`. */
function isAccepted({ name, type }: Pick<File, 'name' | 'type'>, accepted: string[]): boolean {
  const declared = toMediaType(type || UNKNOWN_TYPE)
  if (mayBeAllowed(name, declared, accepted.map(toMediaType))) return true
  return accepted.some((each) => covers(each, type, name))
}

/** Returns whether an entry of `upload-types` is the type, its wildcard or the extension. */
function covers(accepted: string, type: string, name: string): boolean {
  if (accepted.startsWith('.')) return name.toLowerCase().endsWith(accepted.toLowerCase())
  if (accepted.endsWith('/*')) return type.startsWith(accepted.slice(0, -1))
  return toMediaType(accepted) === type
}

/** Returns the accepted extensions for a message, such as `PNG, JPG`. */
function extensionsOf(types: string): string {
  const names = types.match(/\S+/g)?.flatMap((each) => {
    const known = [...EXTENSIONS].filter(([type]) => covers(each, type, ''))
    return known.length > 0 ? known.map(([, [name = '']]) => name) : each.replace(/^.*[/.]\b/, '')
  })
  return names?.join(', ').toUpperCase() ?? ''
}

const UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const

/** Formats bytes, for example as `1.5 MB`. Each unit is 1024 times the previous unit. */
export function formatSize(bytes: number, locale: string): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const unitDisplay = power === 0 ? 'long' : 'short'
  const options = {
    style: 'unit',
    unit: UNITS[power] ?? 'byte',
    unitDisplay,
    maximumFractionDigits: 1,
  } as const
  return numberFormat(locale, options).format(bytes / 1024 ** power)
}

/** Creates a number format. Uses English if the language tag is invalid. */
export function numberFormat(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  try {
    return new Intl.NumberFormat(locale, options)
  } catch {
    return new Intl.NumberFormat('en', options)
  }
}
