// Ends a test run with one line of counts, after every reason for which tests were skipped.

const summary = (modules) => {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const reasons = new Map()
  for (const module of modules) {
    if (module.state() === 'failed' && [...module.children.allTests()].length === 0) counts.failed++
    for (const test of module.children.allTests()) {
      const result = test.result()
      if (result.state === 'passed') counts.passed++
      else if (result.state === 'failed') counts.failed++
      else {
        counts.skipped++
        const reason = result.note ?? 'no reason given'
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      }
    }
  }
  return { counts, reasons }
}

export default class SummaryReporter {
  onTestRunEnd(modules, errors) {
    const { counts, reasons } = summary(modules)
    if (errors.length > 0) counts.failed += errors.length
    for (const [reason, count] of reasons) console.log(`skipped ${count}: ${reason}`)
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  }
}
