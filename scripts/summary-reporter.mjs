// At the end of a test run, prints the reasons of skipped tests, the repeated tests and the counts.

function countTests(modules) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  const reasons = new Map()
  const repeated = []
  for (const module of modules) {
    // If an import or a `beforeAll` fails, the tests have no result, so the errors are counted.
    for (const block of [module, ...module.children.allSuites()])
      counts.failed += block.errors().length
    for (const test of module.children.allTests()) {
      const { state, note } = test.result()
      if ((test.diagnostic()?.retryCount ?? 0) > 0) repeated.push(test.fullName)
      if (state === 'passed' || state === 'failed') counts[state]++
      else {
        counts.skipped++
        const reason = note ?? 'no reason given'
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
      }
    }
  }
  return { counts, reasons, repeated }
}

export default class SummaryReporter {
  onTestRunEnd(modules, errors) {
    const { counts, reasons, repeated } = countTests(modules)
    counts.failed += errors.length
    for (const [reason, count] of reasons) console.log(`skipped ${count}: ${reason}`)
    for (const name of repeated) console.log(`needed a second attempt: ${name}`)
    console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  }
}
