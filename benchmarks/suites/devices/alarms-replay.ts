import { createQuillgate } from '@quillgate/server'
import { createTrustedDevices, type SettingsInput } from '@quillgate/trusted-devices'
import { Random } from '../../corpus/random.ts'
import type { Tally } from './alarms-clients.ts'
import { type Persona, personas } from './alarms-personas.ts'
import { countryOf } from './alarms-places.ts'

export interface ReplayOptions {
  readonly people: number
  readonly days: number
  readonly seed: number
  readonly settings?: SettingsInput
  /**
   * If false, the server does not recognize devices, as if device credentials did not exist.
   * @default true
   */
  readonly keepsCredential?: boolean
}

export interface Result extends Readonly<Tally> {
  readonly persona: string
  /** The number of `suspicious_login` signals. */
  readonly alarms: number
  /** The number of `device_compromised` signals. */
  readonly compromised: number
}

const HOUR = 3_600_000
const START = Date.UTC(2026, 0, 5)

/**
 * Simulates legitimate users for some days. Each kind of user has its own instance of Quillgate.
 * The same options return the same result.
 */
export async function replay(options: ReplayOptions): Promise<Result[]> {
  const results: Result[] = []
  for (const [name, persona] of Object.entries(personas))
    results.push(await replayPersona(name, persona, options))
  return results
}

async function replayPersona(
  name: string,
  persona: Persona,
  options: ReplayOptions,
): Promise<Result> {
  const { people, days, seed, settings = {}, keepsCredential = true } = options
  let now = START
  const clock = (): number => now
  const gate = createQuillgate({
    secret: 'a secret of at least thirty-two bytes',
    database: 'sqlite::memory:',
    clock,
  })
  const devices = createTrustedDevices(gate, {
    users: { findById: (id) => ({ id }) },
    locate: (address) => ({ country: countryOf(address) }),
    settings: { loginRateLimit: null, ...settings },
  })
  const tally = { logins: 0, requests: 0, signOuts: 0 }
  const told = { alarms: 0, compromised: 0 }
  devices.signals.suspiciousLogin.connect(() => void told.alarms++)
  devices.signals.deviceCompromised.connect(() => void told.compromised++)
  const lives = Array.from({ length: people }, (_, index) =>
    persona(
      { devices, clock, tally, userId: `person-${index}`, keepsCredential },
      new Random(seed + index),
    ),
  )
  const random = new Random(seed)
  for (let day = 0; day < days; day++) {
    now = START + day * 24 * HOUR + 7 * HOUR
    for (const live of lives) {
      now += Math.floor(random.below(HOUR))
      await live(day)
    }
    if (day % 7 === 6) await devices.registry.cleanup()
  }
  await gate.close()
  return { persona: name, ...tally, ...told }
}
