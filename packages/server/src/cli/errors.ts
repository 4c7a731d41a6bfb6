/**
 * Something in the configuration, or in what it names, is wrong; the message says what to do. Exit
 * code 1.
 */
export class CliError extends Error {
  override name = 'CliError'
}

/** The command line is wrong; the message says what is right. Exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
