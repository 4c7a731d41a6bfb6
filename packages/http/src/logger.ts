/** Hears what an operator should know; `console` is one. */
export interface Logger {
  warn(message: string, details?: unknown): void
  error(message: string, details?: unknown): void
}
