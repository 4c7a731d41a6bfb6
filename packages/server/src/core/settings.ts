import { ConfigurationError } from './errors.ts'
import { suggestion } from './near-names.ts'

/** Settings as an application gives them: what is left out, or undefined, has its default. */
export type SettingsInput<Settings> = {
  readonly [Key in keyof Settings]?: Settings[Key] | undefined
}

/**
 * What an application gave, without what is undefined. The value of an unknown setting is never shown: it may be a
 * secret in a wrong place.
 *
 * @param known all names that there are
 * @throws ConfigurationError when it is no object, or names a setting that does not exist
 */
export function givenSettings(
  input: unknown,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ConfigurationError('settings', 'must be an object', input)
  }
  for (const name of Object.keys(input)) {
    if (!known.includes(name))
      throw new ConfigurationError(
        `settings.${name}`,
        `is not a setting. ${suggestion(name, known)}`,
      )
  }
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
}
