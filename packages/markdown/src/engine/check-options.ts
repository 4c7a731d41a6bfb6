import { alertKinds } from '../grammar/alert-kinds.ts'
import { checkPolicy } from '../policy/check-policy.ts'
import type { MarkdownRendererOptions } from './renderer-options.ts'

type Check = readonly [isRight: (value: unknown) => boolean, expected: string]

const checks: Readonly<Record<keyof MarkdownRendererOptions, Check>> = {
  markdownIt: [isFunctionOrNull, 'the class that markdown-it exports, or null'],
  policy: [isPolicy, 'a policy such as defaultPolicy'],
  embedHosts: [isListOfStrings, 'a list of host names'],
  highlight: [isFunctionOrNull, 'a function, or null'],
  alertTitles: [isTitles, `an object of texts with any of the keys ${alertKinds.join(', ')}`],
  onMedium: [isSynchronous, 'a synchronous function'],
  onFinding: [isFunctionOrNull, 'a function'],
  maxLength: [(value) => typeof value === 'number' && value > 0, 'a positive number'],
}

// Options of other functions that callers may pass in the same object. They are not checked here.
const others: ReadonlySet<string> = new Set(['scope', 'highlightLanguages'])

/** Checks the options of a renderer. Throws an error that names the invalid option. */
export function checkOptions(options: MarkdownRendererOptions): void {
  for (const [name, value] of Object.entries(options)) {
    if (others.has(name)) continue
    if (!Object.hasOwn(checks, name))
      throw new TypeError(
        `There is no option "${name}". The options are ${Object.keys(checks).join(', ')}.`,
      )
    const [isRight, expected] = checks[name as keyof MarkdownRendererOptions]
    if (value !== undefined && !isRight(value))
      throw new TypeError(`The option "${name}" must be ${expected}.`)
  }
  if (options.policy !== undefined) checkPolicy(options.policy)
}

function isFunctionOrNull(value: unknown): boolean {
  return value === null || typeof value === 'function'
}

// Rendering is synchronous and cannot wait for async functions.
function isSynchronous(value: unknown): boolean {
  return (
    isFunctionOrNull(value) && Object.prototype.toString.call(value) !== '[object AsyncFunction]'
  )
}

/** Returns true for an array of strings. */
export function isListOfStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

function isTitles(value: unknown): boolean {
  const kinds: readonly string[] = alertKinds
  const isTitle = ([kind, title]: [string, unknown]): boolean =>
    kinds.includes(kind) && ['string', 'undefined'].includes(typeof title)
  return isObject(value) && Object.entries(value).every(isTitle)
}

// Checks only the types of the main properties. `checkPolicy` checks their entries.
function isPolicy(value: unknown): boolean {
  if (!isObject(value)) return false
  const { elements, globalAttributes, schemes, embeds } = value
  return (
    isObject(elements) &&
    Object.values(elements).every(isObject) &&
    isObject(globalAttributes) &&
    isObject(schemes) &&
    isListOfStrings(schemes['link']) &&
    isListOfStrings(schemes['media']) &&
    Array.isArray(embeds) &&
    embeds.every(isObject)
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
