/** Logs what an operator should know, for example `console`. */
export interface Logger {
  warn(message: string, details?: unknown): void
  error(message: string, details?: unknown): void
}

/** Creates a function that logs the first message of each kind, and ignores further ones. */
export function logOnce(
  logger: Pick<Logger, 'warn'> | undefined,
): (message: string, kind?: string) => void {
  const logged = new Set<string>()
  return (message, kind = '') => {
    if (logged.has(kind)) return
    logged.add(kind)
    logger?.warn(message)
  }
}
