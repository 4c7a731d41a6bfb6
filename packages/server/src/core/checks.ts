import { nearNames, suggestion } from './near-names.ts'
import { type Check, Problem } from './schema.ts'

/** 100 years in seconds. The current time plus this duration is a valid `Date`. */
export const CENTURY = 36_525 * 86_400

/** Accepts only true and false. */
export const boolean: Check<boolean> = (value) =>
  typeof value === 'boolean' ? value : new Problem('must be true or false', value)

/** Accepts any string. */
export const text: Check<string> = (value) =>
  typeof value === 'string' ? value : new Problem('must be a string', value)

/** Accepts strings that match a pattern. @param wanted error text, such as `must be a path` */
export function matching(pattern: RegExp, wanted: string): Check<string> {
  return (value) =>
    typeof value === 'string' && pattern.test(value) ? value : new Problem(wanted, value)
}

/** Accepts a whole number from `least` to `most`. @param unit such as `bytes`, for errors */
export function whole(least: number, most = Number.MAX_SAFE_INTEGER, unit = ''): Check<number> {
  const range =
    most === Number.MAX_SAFE_INTEGER ? `, ${least} or more` : ` from ${least} to ${most}`
  const wanted = `must be a whole number${unit && ` of ${unit}`}${range}`
  return (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most
      ? value
      : new Problem(wanted, value)
}

/** Accepts a duration of 0 or more seconds. Fractions are allowed. */
export function seconds(most = CENTURY): Check<number> {
  return (value) =>
    typeof value === 'number' && value >= 0 && value <= most
      ? value
      : new Problem(`must be a number of seconds from 0 to ${most}`, value)
}

/** Accepts a duration of more than 0 seconds. Fractions are allowed. */
export function positiveSeconds(most = CENTURY): Check<number> {
  return (value) =>
    typeof value === 'number' && value > 0 && value <= most
      ? value
      : new Problem(`must be a number of seconds above 0, at most ${most}`, value)
}

/** Accepts only the given words. */
export function oneOf<const V extends string>(words: readonly V[]): Check<V> {
  const quoted = words.map((word) => JSON.stringify(word)).join(' or ')
  return (value) => words.find((word) => word === value) ?? new Problem(`must be ${quoted}`, value)
}

/** Accepts null and every value that `check` accepts. */
export function orNull<T>(check: Check<T>): Check<T | null> {
  return (value) => {
    if (value === null) return null
    const checked = check(value)
    if (!(checked instanceof Problem) || checked.at !== '') return checked
    return new Problem(`${checked.text}, or null`, checked.value)
  }
}

/** Accepts an array whose items all pass the check. Returns a frozen copy. */
export function listOf<T>(check: Check<T>): Check<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) return new Problem('must be an array', value)
    const items: T[] = []
    for (const [index, item] of value.entries()) {
      const checked = check(item)
      if (checked instanceof Problem)
        return new Problem(checked.text, checked.value, `[${index}]${checked.at}`)
      items.push(checked)
    }
    return Object.freeze(items)
  }
}

/** Accepts a function. */
export function functionOf<F>(): Check<F> {
  return (value) =>
    typeof value === 'function' ? (value as F) : new Problem('must be a function', value)
}

/**
 * Accepts an object that has all `required` methods. Each `optional` method can be missing or null.
 * Other properties are allowed, because the object can be an instance of a class. However, a method
 * is rejected if its name resembles the name of a missing optional method.
 */
export function has<T extends object>(
  required: readonly (keyof T & string)[],
  optional: readonly (keyof T & string)[] = [],
): Check<T> {
  const known: readonly string[] = [...required, ...optional]
  return (value) => {
    const object = (value ?? {}) as T
    if (!required.every((name) => typeof object[name] === 'function'))
      return new Problem(`must have ${required.map((name) => `${name}()`).join(', ')}`)
    if (optional.length === 0) return object
    const present = optional.filter((name) => (object[name] ?? null) !== null)
    const wrong = present.find((name) => typeof object[name] !== 'function')
    if (wrong) return new Problem('must be a function', object[wrong], `.${wrong}`)
    const missing = optional.filter((name) => !present.includes(name))
    const sources = [object, Object.getPrototypeOf(object) ?? {}] // Includes methods of the class.
    for (const name of sources.flatMap((source) => Object.getOwnPropertyNames(source))) {
      if (known.includes(name) || nearNames(name, missing).length === 0) continue
      // Reads the property only after the other checks, because reading can call a getter.
      if (typeof Reflect.get(object, name) !== 'function') continue
      const text = `is not a known method. ${suggestion(name, missing)}`
      return new Problem(text, undefined, `.${name}`)
    }
    return object
  }
}

/** Accepts every value. Use this check for options that another function checks at start-up. */
export function anything<T>(): Check<T> {
  return (value) => value as T
}

/** Accepts a base path such as `/app/forum`, and returns it without a trailing slash. */
export const basePath: Check<string> = (value) =>
  typeof value === 'string' && /^(?:\/[\w.~-]*[\w~-])+\/?$/.test(value)
    ? value.replace(/\/$/, '')
    : new Problem('must be a path such as "/app/forum"', value)

/** Accepts an origin such as `https://example.com`, and returns it normalized. */
export const origin: Check<string> = (value) => {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null
  const isOrigin =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    !url.host.includes('*') &&
    `${url.origin}/` === url.href
  return isOrigin
    ? url.origin
    : new Problem('must be an origin such as "https://example.com", without a path', value)
}
