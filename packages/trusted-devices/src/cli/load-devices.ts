import { type InstanceKind, loadInstance } from '@quillgate/server/cli'
import type { TrustedDevices } from '../trusted-devices.ts'

/** The part of an instance that the commands use. */
export type CliDevices = Pick<TrustedDevices, 'gate' | 'outbox' | 'registry' | 'openApi' | 'settle'>

const DEVICES: InstanceKind<CliDevices> = {
  noun: 'instance of trusted devices',
  factory: 'createTrustedDevices',
  is(value): value is CliDevices {
    if (typeof value !== 'object' || value === null) return false
    const { registry, signals } = value as Record<string, unknown>
    return [registry, signals].every((group) => typeof group === 'object' && group !== null)
  },
}

/** Finds the instance that the configuration exports; see `loadInstance`. */
export function loadDevices(path: string | null, folder: string): Promise<CliDevices> {
  return loadInstance(path, folder, DEVICES)
}
