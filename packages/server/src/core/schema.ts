import { ConfigurationError, QuillgateError } from './errors.ts'
import { suggestion } from './near-names.ts'

/** The reason why a value is wrong. A {@link Check} returns it instead of the value. */
export class Problem {
  readonly text: string
  readonly value: unknown
  readonly at: string

  /**
   * @param text what the value must be, for example `must be true or false`
   * @param value the wrong value; omit it if it may be a secret
   * @param at path of the wrong part inside the value, for example `[2]` or `.origins`
   */
  constructor(text: string, value?: unknown, at = '') {
    this.text = text
    this.value = value
    this.at = at
  }
}

/** Checks a value. Returns the value in its canonical form, or a {@link Problem}. */
export type Check<T> = (value: unknown) => T | Problem

/** The definition of one setting or option. The guide shows the doc comment of each field. */
export interface Field<T> {
  readonly check: Check<T>
  readonly initial: T
}

/** An option that must be given. */
export interface RequiredField<T> extends Field<T> {
  readonly isRequired: true
}

/** Settings or options by name. */
export type Schema = Readonly<Record<string, Field<unknown>>>

/** The values that {@link parse} returns for a schema. */
export type Values<S> = { readonly [K in keyof S]: S[K] extends Field<infer T> ? T : never }

/** The input type of a schema. `undefined` selects the default. */
export type Input<S> = {
  readonly [K in keyof S as S[K] extends RequiredField<unknown> ? K : never]: ValueOf<S[K]>
} & {
  readonly [K in keyof S as S[K] extends RequiredField<unknown> ? never : K]?:
    | ValueOf<S[K]>
    | undefined
}

type ValueOf<F> = F extends Field<infer T> ? T : never

/** Defines a setting or option with a default. */
export function field<T>(check: Check<T>, initial: NoInfer<T>): Field<T> {
  return { check, initial }
}

/** Defines an option that is undefined if it is omitted. */
export function optional<T>(check: Check<T>): Field<T | undefined> {
  return { check, initial: undefined }
}

/** Defines an option that must be given. */
export function required<T>(check: Check<T>): RequiredField<T> {
  return { check, initial: undefined as T, isRequired: true } // The default is never used.
}

/**
 * Checks options and adds the defaults. The error for an unknown name does not show the value,
 * because the value may be a secret.
 *
 * @param path the name of the object for error messages, for example `cors` for `cors.origins`
 * @throws ConfigurationError that names the option, and usually its value
 */
export function parse<S extends Schema>(schema: S, input: unknown, path = ''): Values<S> {
  const values = check(schema, input, path === 'settings' ? 'a setting' : 'an option')
  if (!(values instanceof Problem)) return values
  const name = path === '' ? values.at.replace(/^\./, '') || 'options' : path + values.at
  throw new ConfigurationError(name, values.text, values.value)
}

/** Returns a check for a nested object. */
export function objectOf<S extends Schema>(schema: S): Check<Values<S>> {
  return (value) => check(schema, value, 'an option')
}

function check<S extends Schema>(schema: S, input: unknown, noun: string): Values<S> | Problem {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return new Problem('must be an object')
  const given = input as Readonly<Record<string, unknown>>
  const names = Object.keys(schema)
  for (const name of Object.keys(given)) {
    if (!names.includes(name))
      return new Problem(`is not ${noun}. ${suggestion(name, names)}`, undefined, `.${name}`)
  }
  const values: Record<string, unknown> = {}
  for (const [name, one] of Object.entries(schema)) {
    const value = given[name] === undefined ? one.initial : given[name]
    if (value === undefined && 'isRequired' in one)
      return new Problem('is required', undefined, `.${name}`)
    const checked = value === undefined ? value : one.check(value)
    if (checked instanceof Problem)
      return new Problem(checked.text, checked.value, `.${name}${checked.at}`)
    values[name] = checked
  }
  return Object.freeze(values) as Values<S> // The loop has checked each value.
}

/** Thrown by `getSetting` for an unknown setting. The `name` of the error is `KeyError`. */
export class UnknownSettingError extends QuillgateError {
  override name = 'KeyError'
  readonly key: string

  constructor(key: string, known: readonly string[]) {
    super('unknown_setting', 500, `Unknown setting: ${key}. ${suggestion(key, known)}.`)
    this.key = key
  }
}

/** Returns a setting. @throws UnknownSettingError, even for inherited names such as `toString` */
export function getSetting<S extends object, K extends keyof S>(settings: S, key: K): S[K] {
  if (Object.hasOwn(settings, key)) return settings[key]
  throw new UnknownSettingError(String(key), Object.keys(settings))
}
