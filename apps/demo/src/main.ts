// If the start fails, reports the error as one sentence without a stack trace.
try {
  const { startServer } = await import('./start-server.ts')
  await startServer()
} catch (error) {
  console.error(`The demo cannot start: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}
