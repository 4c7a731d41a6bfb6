import { ConfigurationError, suggestion } from '@quillgate/server/core'

/**
 * Checks `markdownFields` against all fields of a form.
 *
 * @throws ConfigurationError for a name that no field has, with the name that may be meant
 */
export function checkFieldNames(
  admin: string,
  names: readonly string[],
  fields: readonly string[],
): void {
  const unknown = names.find((name) => !fields.includes(name))
  if (unknown === undefined) return
  const problem = `must name fields of the form. ${suggestion(unknown, fields)}`
  throw new ConfigurationError(`${admin}.markdownFields`, problem, unknown)
}
