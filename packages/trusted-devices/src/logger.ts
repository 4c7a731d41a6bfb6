/** Where problems are told to the operator. */
export interface Logger {
  warn(message: string, error?: unknown): void
  error(message: string, error?: unknown): void
}

/** The default: what no answer may show is seen at least here. */
export const consoleLogger: Logger = {
  // biome-ignore lint/suspicious/noConsole: see above.
  warn: (message, error) => console.warn(message, error),
  // biome-ignore lint/suspicious/noConsole: see above.
  error: (message, error) => console.error(message, error),
}
