import { alertKinds } from '../grammar/alert-kinds.ts'
import { checkPolicy } from '../policy/check-policy.ts'
import type { MarkdownRendererOptions } from './renderer-options.ts'

interface OptionCheck {
  readonly isRight: (value: unknown) => boolean
  /** What the option must be. */
  readonly expected: string
}

const checks: Readonly<Record<keyof MarkdownRendererOptions, OptionCheck>> = {
  markdownIt: {
    isRight: isFunctionOrNull,
    expected: 'the class that markdown-it exports, or null',
  },
  plugins: { isRight: (value) => isListOf('function', value), expected: 'a list of functions' },
  policy: { isRight: isPolicy, expected: 'a policy, as extendPolicy makes one' },
  embedHosts: { isRight: (value) => isListOf('string', value), expected: 'a list of host names' },
  highlight: { isRight: isFunctionOrNull, expected: 'a function, or null' },
  alertTitles: {
    isRight: isTitles,
    expected: `an object of texts, by the kinds ${alertKinds.join(', ')}`,
  },
  onMedium: { isRight: isAtOnce, expected: 'a function that answers at once' },
  onFinding: { isRight: isFunctionOrNull, expected: 'a function' },
  maxLength: {
    isRight: (value) => typeof value === 'number' && value > 0,
    expected: 'a positive number',
  },
}

// Other options that callers may pass in the same object.
const foreign: ReadonlySet<string> = new Set(['scope', 'highlightLanguages'])

/**
 * Checks options when a renderer is created, so that mistakes do not depend on the text. An option
 * that is undefined is treated as left out.
 *
 * @throws TypeError that names the option
 */
export function checkOptions(options: MarkdownRendererOptions): void {
  for (const [name, { isRight, expected }] of Object.entries(checks)) {
    const value: unknown = options[name as keyof MarkdownRendererOptions]
    if (value !== undefined && !isRight(value))
      throw new TypeError(`The option "${name}" must be ${expected}.`)
  }
  const unknown = Object.keys(options).filter(
    (name) => !Object.hasOwn(checks, name) && !foreign.has(name),
  )
  if (unknown.length > 0)
    throw new TypeError(
      `The option "${unknown[0]}" must be one of ${Object.keys(checks).join(', ')}.`,
    )
  if (options.policy !== undefined) checkPolicy(options.policy)
}

function isFunctionOrNull(value: unknown): boolean {
  return value === null || typeof value === 'function'
}

// The result of an async function would come too late.
function isAtOnce(value: unknown): boolean {
  return (
    isFunctionOrNull(value) && Object.prototype.toString.call(value) !== '[object AsyncFunction]'
  )
}

/** Whether a value is a list with entries of a type. */
export function isListOf(type: 'function' | 'string', value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === type)
}

function isTitles(value: unknown): boolean {
  const kinds: readonly string[] = alertKinds
  return (
    isObject(value) &&
    Object.entries(value).every(([kind, title]) => {
      return kinds.includes(kind) && (title === undefined || typeof title === 'string')
    })
  )
}

// Checks only the shape. `checkPolicy` checks the entries.
function isPolicy(value: unknown): boolean {
  if (!isObject(value)) return false
  const { elements, globalAttributes, schemes, embeds } = value
  return (
    isObject(elements) &&
    Object.values(elements).every(isObject) &&
    isObject(globalAttributes) &&
    isObject(schemes) &&
    isListOf('string', schemes['link']) &&
    isListOf('string', schemes['media']) &&
    Array.isArray(embeds) &&
    embeds.every(isObject)
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
