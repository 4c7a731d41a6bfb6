// A mistake in the environment ends the start with a sentence, not with a stack.
try {
  const { startServer } = await import('./start-server.ts')
  await startServer()
} catch (error) {
  console.error(`The demo cannot start: ${error instanceof Error ? error.message : String(error)}`)
  process.exit(1)
}
