import { readFileSync } from 'node:fs'

/** A recorded signal of the original. */
export interface ExpectedSignal {
  readonly name: string
  readonly args?: Readonly<Record<string, unknown>>
}

/** The expected result of one step. */
export interface Expectation {
  readonly status?: number
  readonly body?: Readonly<Record<string, unknown>>
  readonly signals?: readonly ExpectedSignal[]
  readonly signals_order?: string
  readonly signals_contain?: readonly ExpectedSignal[]
  readonly signals_absent?: readonly string[]
  readonly signals_count?: number
  readonly signals_counts?: Readonly<Record<string, number>>
  readonly devices_after?: readonly string[]
  readonly devices_after_count?: number
  readonly max_devices_at_end?: number
  readonly labels?: readonly string[]
  readonly current?: readonly string[]
  readonly fields?: Readonly<Record<string, unknown>>
  readonly fields_match?: Readonly<Record<string, string>>
  readonly outcome?: string
  readonly geo_calls?: readonly string[]
  readonly statuses?: readonly number[]
  readonly statuses_any_order?: readonly number[]
  readonly body_sent_with_204?: Readonly<Record<string, unknown>>
}

/** One step of a scenario. */
export interface Step {
  readonly do: string
  readonly as?: string
  readonly args?: Readonly<Record<string, unknown>>
  readonly expect?: Expectation
}

/** One scenario of `cases/devices-scenarios.json`. */
export interface Scenario {
  readonly id: string
  readonly title: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly steps: readonly Step[]
  readonly verdict: 'follow' | 'improve' | 'free'
  /** Our expected result by the index of the step, or by `last`, if it differs. */
  readonly want_expect?: Readonly<Record<string, Expectation>>
  readonly ours?: { readonly trusted_proxies?: readonly string[] }
}

const file = new URL('../cases/devices-scenarios.json', import.meta.url)

/** All scenarios. */
export const scenarios = (JSON.parse(readFileSync(file, 'utf8')) as { scenarios: Scenario[] })
  .scenarios
