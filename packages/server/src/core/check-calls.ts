import { checkOptions, type OptionCheck, type OptionChecks } from './check-options.ts'
import { ConfigurationError } from './errors.ts'

/** A check for each argument of each call; null for one that the call itself checks. */
export type CallChecks<Calls> = { readonly [Name in keyof Calls]?: readonly (OptionCheck | null)[] }

/**
 * Puts checks of their arguments in front of calls: a misspelt option would else be silently without effect, and a
 * dry run a real one. A wrong argument rejects with a ConfigurationError that says what to pass.
 *
 * @param parent what the calls are a part of, for the error: `media` gives `media.list`
 */
export function checkCalls<Calls extends object>(
  calls: Calls,
  checks: CallChecks<Calls>,
  parent = '',
): Calls {
  const checked: Record<string, unknown> = Object.defineProperties(
    {},
    Object.getOwnPropertyDescriptors(calls),
  ) // Getters stay such.
  for (const [name, args] of Object.entries<readonly (OptionCheck | null)[]>(
    checks as Record<string, []>,
  )) {
    const call = checked[name] as ((...given: unknown[]) => unknown) | undefined
    if (call === undefined) continue
    const shown = parent === '' ? name : `${parent}.${name}`
    checked[name] = async (...given: unknown[]) => {
      for (const [index, check] of args.entries()) check?.(given[index], shown)
      return call(...given)
    }
  }
  return checked as Calls // The same members.
}

/** Options of a call that may be left out. */
export function optionalOptions<Options extends object>(
  checks: OptionChecks<Options>,
): OptionCheck {
  return (value, call) => {
    if (value === undefined) return
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new ConfigurationError(call, 'needs an object of options', value)
    }
    checkOptions(value as Options, checks, [], call)
  }
}
