import type { Part } from '../../lib/report.ts'
import { type Result, replay } from './alarms-replay.ts'

const seed = 20_260_105

/**
 * Measures false alarms of legitimate users who travel, use VPNs, change networks and clear
 * cookies.
 */
export const alarms: Part = async ({ quick }) => {
  const size = { people: 1, days: quick ? 90 : 365, seed }
  const usual = await replay(size)
  const strangers = await replay({ ...size, keepsCredential: false })
  const all = [usual, strangers].map(total)
  const signOuts = usual.reduce((sum, one) => sum + one.signOuts + one.compromised, 0)
  return {
    title: 'False alarms for simulated legitimate users',
    notes: [
      `One user of each kind for ${size.days} days, with the seed ${seed}. They use login, authenticate, refresh and logout.`,
      'Alarms are suspicious_login signals per 1,000 logins. The last column shows them without device credentials.',
      'All users are legitimate. A rule that compares countries nevertheless causes alarms for some of them.',
    ],
    details: {
      columns: ['users', 'logins', 'requests', 'signed out', 'alarms', 'without credentials'],
      rows: [...usual.map((one, index) => row(one, strangers[index])), row(all[0], all[1])],
    },
    goals: [
      {
        what: 'legitimate users who were signed out or reported as compromised',
        goal: '0',
        measured: String(signOuts),
        passed: signOuts === 0,
      },
    ],
  }
}

function row(usual: Result | undefined, strangers: Result | undefined): string[] {
  if (!usual) return []
  const count = (value: number): string => value.toLocaleString('en')
  return [
    usual.persona,
    count(usual.logins),
    count(usual.requests),
    count(usual.signOuts),
    ...[usual, strangers].map((one) => (one ? perThousand(one) : '')),
  ]
}

function perThousand({ alarms, logins }: Result): string {
  return ((alarms * 1000) / logins).toFixed(1)
}

function total(results: readonly Result[]): Result {
  const sum = (member: 'logins' | 'requests' | 'signOuts' | 'alarms' | 'compromised'): number =>
    results.reduce((count, result) => count + result[member], 0)
  return {
    persona: 'all',
    logins: sum('logins'),
    requests: sum('requests'),
    signOuts: sum('signOuts'),
    alarms: sum('alarms'),
    compromised: sum('compromised'),
  }
}
