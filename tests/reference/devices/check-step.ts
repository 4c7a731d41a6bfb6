import { isIP } from 'node:net'
import type { RecordedSignal } from '@quillgate/trusted-devices/testing'
import { expect } from 'vitest'
import type { StepResult } from './run-step.ts'
import type { Expectation, ExpectedSignal, Step } from './scenario.ts'
import { countryCode, FIELDS, standIn, toCode } from './translate.ts'
import type { World } from './world.ts'

/** Checks the result of a step. */
export async function checkStep(
  world: World,
  step: Step,
  expected: Expectation,
  result: StepResult,
): Promise<void> {
  if (expected.status !== undefined)
    expect(result.status, JSON.stringify(result.body)).toBe(expected.status)
  if (expected.outcome !== undefined) expect(result.outcome).toBe(expected.outcome.split(':')[0])
  checkBody(world, step, expected, result)
  checkFields(world, step, expected, result)
  checkSignals(world, expected)
  checkStatuses(expected, result)
  if (expected.geo_calls) expect(world.located.splice(0)).toEqual(expected.geo_calls.map(standIn))
  const living = await world.living()
  if (expected.devices_after) expect(living.toSorted()).toEqual(expected.devices_after.toSorted())
  const count = expected.devices_after_count ?? expected.max_devices_at_end
  if (count !== undefined) expect(living).toHaveLength(count)
}

function checkBody(
  world: World,
  step: Step,
  { body, labels, current, status }: Expectation,
  result: StepResult,
): void {
  if (body && 'code' in body) {
    expect([toCode(body['code'], step, status)].flat()).toContain(result.body?.['code'])
  } else if (status === 404) {
    expect(result.body?.['code']).toBe('device_not_found')
  } else if (body) {
    for (const [field, value] of Object.entries(body)) {
      const ours = step.do === 'revoke_all' ? field : (FIELDS[field] ?? field)
      expect(result.body?.[ours], field).toEqual(nameless(step, field, value))
    }
  }
  if (result.status === 401) expect(result.headers?.get('www-authenticate')).toContain('Bearer')
  const devices = (result.body?.['devices'] ?? []) as { uid: string; is_current: boolean }[]
  // The order differs, so only the sets are compared. Here, the most recently used device comes
  // first. In the original, the newest device comes first.
  if (labels)
    expect(devices.map(({ uid }) => world.labelOf(uid)).toSorted()).toEqual(labels.toSorted())
  if (current) {
    expect(
      devices.filter((device) => device.is_current).map(({ uid }) => world.labelOf(uid)),
    ).toEqual(current)
  }
}

function checkFields(
  world: World,
  step: Step,
  { fields, fields_match }: Expectation,
  result: StepResult,
): void {
  for (const [field, value] of Object.entries(fields ?? {})) {
    if (step.do === 'concurrent') continue // A separate test checks these fields.
    if (field === 'region') continue // Our devices have no region.
    expect(readField(result, field), field).toEqual(expectedValue(world, step, field, value))
  }
  for (const [field, rule] of Object.entries(fields_match ?? {})) {
    const value = String(readField(result, field))
    if (rule === 'at most 1024 characters') expect(value.length).toBeLessThanOrEqual(1024)
    else if (rule === 'a valid IP address') expect(isIP(value)).not.toBe(0)
    else throw new Error(`no rule ${rule}`)
  }
}

function readField({ fields }: StepResult, field: string): unknown {
  return fields?.[FIELDS[field] ?? field]
}

function expectedValue(world: World, step: Step, field: string, value: unknown): unknown {
  const seconds = typeof value === 'string' ? /^t\+(\d+)s$/.exec(value)?.[1] : undefined
  if (seconds !== undefined) return world.start + Number(seconds) * 1000
  if (typeof value === 'boolean') return value ? 1 : 0 // SQLite has no booleans.
  if (field === 'country') return countryCode(value)
  return nameless(step, field, value)
}

/** Converts an empty name. In the original, new devices have no name. Here, they get a name. */
function nameless(step: Step, field: string, value: unknown): unknown {
  if (field !== 'name' || value !== '') return value
  const label = step.do === 'inspect' ? step.as : (step.args?.['target'] as string)
  const wasCleared = (step.args?.['body'] as { name?: string } | undefined)?.name === ''
  return wasCleared ? '' : `UA-${label?.split('/')[1]}`
}

function checkSignals(world: World, expected: Expectation): void {
  const sent = world.recorder.take()
  const names = sent.map(({ signal }) => signal)
  const recorded = sent.map((event) => describeRecorded(world, event))
  if (expected.signals) {
    expect(names.length, names.join(', ')).toBe(expected.signals.length)
    const wanted = expected.signals.map(describeExpected)
    if (expected.signals_order)
      for (const each of wanted) expect(recorded).toContainEqual(expect.objectContaining(each))
    else for (const [index, each] of wanted.entries()) expect(recorded[index]).toMatchObject(each)
  }
  for (const each of expected.signals_contain ?? []) {
    expect(recorded).toContainEqual(expect.objectContaining(describeExpected(each)))
  }
  for (const name of expected.signals_absent ?? []) expect(names).not.toContain(name)
  if (expected.signals_count !== undefined) {
    expect(names.filter((name) => name === 'device_revoked')).toHaveLength(expected.signals_count)
  }
  for (const [name, count] of Object.entries(expected.signals_counts ?? {})) {
    const uids = sent.flatMap((event) =>
      event.signal === 'device_revoked' ? [event.deviceUid] : [],
    )
    const actual =
      name === 'device_revoked_distinct_uids'
        ? new Set(uids).size
        : names.filter((n) => n === name).length
    expect(actual, name).toBe(count)
  }
}

function describeExpected({ name, args = {} }: ExpectedSignal): Record<string, unknown> {
  const { device, device_uid, user, previous_countries } = args
  return {
    name,
    ...(user === undefined ? {} : { user }),
    ...((device ?? device_uid) === undefined || device === '(new device)'
      ? {}
      : { device: device ?? device_uid }),
    ...(Array.isArray(previous_countries)
      ? { countries: previous_countries.map(countryCode).toSorted() }
      : {}),
  }
}

function describeRecorded(world: World, event: RecordedSignal): Record<string, unknown> {
  return {
    name: event.signal,
    user: String(event.user.id),
    device: 'uid' in event.device ? world.labelOf(event.device.uid) : null,
    ...(event.signal === 'suspicious_login'
      ? { countries: [...event.previousCountries].toSorted() }
      : {}),
  }
}

function checkStatuses(
  { statuses, statuses_any_order }: Expectation,
  { results = [] }: StepResult,
): void {
  const actual = results.map(({ status }) => status)
  if (statuses) expect(actual).toEqual(statuses)
  if (statuses_any_order) expect(actual.toSorted()).toEqual([...statuses_any_order].toSorted())
}
