/** When the browser set out for this page, in milliseconds since 1970. */
export function arrival(): number {
  return Date.now() - performance.now()
}

/** True when the page was neither reloaded nor come back to, and the server did not answer with an error. */
export function isOrdinary(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (navigation === undefined) return false
  // 0, or nothing, where the browser does not tell.
  return navigation.type === 'navigate' && (navigation.responseStatus || 200) < 400
}
