import type { Part } from '../../lib/report.ts'
import { type Result, replay } from './alarms-replay.ts'

const seed = 20_260_105
const YEAR = 365 * 86_400

/** False alarms: what honest people hear of, who travel, use VPNs, change networks and clear cookies. */
export const alarms: Part = async ({ quick }) => {
  const size = { people: 1, days: quick ? 90 : 365, seed }
  const usual = await replay(size)
  const withHistory = await replay({ ...size, settings: { countryHistory: YEAR } })
  const strangers = await replay({ ...size, keepsCredential: false })
  const all = [usual, withHistory, strangers].map(total)
  const signOuts = usual
    .concat(withHistory)
    .reduce((sum, one) => sum + one.signOuts + one.compromised, 0)
  return {
    title: 'False alarms on a replay of honest people',
    notes: [
      `One of each kind, ${size.days} days, seed ${seed}; through login, authenticate, refresh and logout.`,
      'Alarms are suspicious_login signals for 1,000 logins: as it is, with countryHistory of a year, and as if there',
      'were no device credential. Everybody is honest; whom a rule by country must tell about is told all the same.',
    ],
    details: {
      columns: [
        'people',
        'logins',
        'requests',
        'signed out',
        'alarms',
        'with history',
        'no credential',
      ],
      rows: [
        ...usual.map((one, index) => row(one, withHistory[index], strangers[index])),
        row(all[0], all[1], all[2]),
      ],
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

function row(
  usual: Result | undefined,
  withHistory: Result | undefined,
  strangers: Result | undefined,
): string[] {
  if (!usual) return []
  const count = (value: number): string => value.toLocaleString('en')
  return [
    usual.persona,
    count(usual.logins),
    count(usual.requests),
    count(usual.signOuts),
    ...[usual, withHistory, strangers].map((one) => (one ? perThousand(one) : '')),
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
