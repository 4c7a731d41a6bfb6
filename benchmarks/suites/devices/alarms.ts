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
    title: 'False alarms on a replay of honest people',
    notes: [
      `One of each kind, ${size.days} days, seed ${seed}; through login, authenticate, refresh and logout.`,
      'Alarms are suspicious_login signals for 1,000 logins: as it is, and as if there were no device credential.',
      'Everybody is honest. A rule by country alarms some of them all the same.',
    ],
    details: {
      columns: ['people', 'logins', 'requests', 'signed out', 'alarms', 'no credential'],
      rows: [...usual.map((one, index) => row(one, strangers[index])), row(all[0], all[1])],
    },
    goals: [
      {
        what: 'honest people signed out, or called compromised',
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
