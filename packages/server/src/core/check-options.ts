import { ConfigurationError } from './errors.ts'
import { suggestion } from './near-names.ts'

/**
 * Checks the value of one option. @throws ConfigurationError that names the option
 *
 * @param name for the error
 */
export type OptionCheck = (value: unknown, name: string) => void

/** One check for each option that there is. */
export type OptionChecks<Options> = { readonly [Name in keyof Options]-?: OptionCheck }

/**
 * Checks the options of a factory. An option that does not exist is a mistake, also when it will exist in a later
 * version; its value is never shown, for it may be a secret under a wrong name.
 *
 * @param options whatever the application passed
 * @param required options that must be given; the others are checked only when they are not undefined
 * @param parent what the options are a part of, for the error: `cors` gives `cors.origins`
 * @throws ConfigurationError that names the option
 *
 * @example
 * checkOptions(options, { secret: checkedElsewhere, clock: mustBeFunction, csrf: mustHave('verify') }, ['secret'])
 */
export function checkOptions<Options extends object>(
  options: Options,
  checks: OptionChecks<Options>,
  required: readonly (keyof Options & string)[] = [],
  parent = '',
): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigurationError(parent || 'options', 'must be an object')
  }
  const given = options as Readonly<Record<string, unknown>>
  const known = Object.keys(checks)
  const shown = (name: string): string => (parent === '' ? name : `${parent}.${name}`)
  for (const name of Object.keys(given)) {
    if (!known.includes(name))
      throw new ConfigurationError(shown(name), `is not an option. ${suggestion(name, known)}`)
  }
  for (const name of required) {
    if (given[name] === undefined) throw new ConfigurationError(shown(name), 'is required')
  }
  for (const [name, check] of Object.entries<OptionCheck>(checks)) {
    if (given[name] !== undefined) check(given[name], shown(name))
  }
}

/** For an option that the part which uses it checks at the start. */
export const checkedElsewhere: OptionCheck = () => {}

/** Only a function. */
export const mustBeFunction: OptionCheck = (value, name) => {
  if (typeof value !== 'function') throw new ConfigurationError(name, 'must be a function', value)
}

/** Only true or false, and nothing that merely looks like it. */
export const mustBeBoolean: OptionCheck = (value, name) => {
  if (typeof value !== 'boolean') throw new ConfigurationError(name, 'must be true or false', value)
}

/**
 * Only a whole number within bounds, which may themselves be given.
 *
 * @param unit for the error, for example `seconds`
 */
export function mustBeWhole(least: number, most: number, unit?: string): OptionCheck {
  const wanted = `must be a whole number from ${least} to ${most}${unit === undefined ? '' : ` (${unit})`}`
  return (value, name) => {
    if (Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most) return
    throw new ConfigurationError(name, wanted, value)
  }
}

/** Only one of these words. */
export function mustBeOneOf(...known: readonly string[]): OptionCheck {
  return (value, name) => {
    if (known.some((one) => one === value)) return
    throw new ConfigurationError(
      name,
      `must be ${known.map((one) => JSON.stringify(one)).join(' or ')}`,
      value,
    )
  }
}

/** An object with these methods. */
export function mustHave(...methods: readonly string[]): OptionCheck {
  const wanted = methods.map((method) => `${method}()`).join(', ')
  return (value, name) => {
    const members = (value ?? {}) as Readonly<Record<string, unknown>>
    if (methods.some((method) => typeof members[method] !== 'function')) {
      throw new ConfigurationError(name, `must have ${wanted}`)
    }
  }
}

/**
 * Checks the path under which endpoints are.
 *
 * @returns the path without a final slash
 * @throws ConfigurationError
 */
export function parseBasePath(basePath: unknown): string {
  if (typeof basePath === 'string' && /^(?:\/[\w.~-]*[\w~-])+\/?$/.test(basePath))
    return basePath.replace(/\/$/, '')
  throw new ConfigurationError('basePath', 'must be a path such as "/app/forum"', basePath)
}
