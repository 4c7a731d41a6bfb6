/** Receives warnings and errors for the operator. `console` can be used. */
export interface Logger {
  warn(message: string, details?: unknown): void
  error(message: string, details?: unknown): void
}

/** Returns a function that logs only the first message of each kind. */
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
