import { ConfigurationError, QuillgateError } from './errors.ts'
import { suggestion } from './near-names.ts'

/** Settings as an application gives them: what is left out, or undefined, has its default. */
export type SettingsInput<Settings> = {
  readonly [Key in keyof Settings]?: Settings[Key] | undefined
}

/** A key that does not exist was asked for. */
export class KeyError extends QuillgateError {
  override name = 'KeyError'
}

/** Thrown by `getSetting` for a name that is no setting; `name` is `KeyError`, `code` is `unknown_setting`. */
export class UnknownSettingError extends KeyError {
  /** The name that was asked for. */
  readonly key: string

  /**
   * @param key the name that was asked for
   * @param known all names that there are
   */
  constructor(key: string, known: readonly string[]) {
    super('unknown_setting', 500, `Unknown setting: ${key}. ${suggestion(key, known)}.`)
    this.key = key
  }
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
