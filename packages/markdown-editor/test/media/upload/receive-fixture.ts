import { createFakeClock, type FakeClock } from '@quillgate/server/testing'
import type { Storage } from '@quillgate/storage'
import { memoryStorage } from '@quillgate/storage/testing'
import { afterEach, expect } from 'vitest'
import type { MediaLedger } from '../../../src/media/ledger/media-ledger.ts'
import type { Medium } from '../../../src/media/ledger/medium.ts'
import type { Principal } from '../../../src/media/ledger/principal.ts'
import type { IncomingFile } from '../../../src/media/upload/check-type.ts'
import { type ReceivedUpload, receiveUpload } from '../../../src/media/upload/receive-upload.ts'
import { DefaultUploadHandler } from '../../../src/media/upload/upload-handler.ts'
import type { UploadServices } from '../../../src/media/upload/upload-services.ts'
import { resolveSettings } from '../../../src/settings.ts'
import { openLedger, withMethods } from './open-ledger.ts'
import { PNG } from './samples.ts'

export const ada = { owner: 'user:1', user: { id: 1 } }

export async function* chunks(
  ...parts: readonly (string | Uint8Array)[]
): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield typeof part === 'string' ? Buffer.from(part) : part
}

export const png = () => ({ filename: 'photo.png', type: 'image/png', body: chunks(PNG) })
export const text = (length: number) => ({
  filename: 'a.txt',
  type: 'text/plain',
  body: chunks('x'.repeat(length)),
})

interface ReceiverOptions extends Partial<Pick<UploadServices, 'storage' | 'handler'>> {
  readonly ownerQuota?: number
  /** Replaces methods of the ledger. */
  readonly methods?: (ledger: MediaLedger) => Partial<MediaLedger>
}

/** Receives uploads without HTTP, with a storage in memory and the real ledger. */
interface Receiver {
  readonly clock: FakeClock
  readonly storage: Storage
  readonly ledger: MediaLedger
  /** The ids of all files that were begun. */
  readonly ids: readonly string[]
  /** The errors that a log would contain. */
  readonly unexpected: readonly unknown[]
  receive(file: IncomingFile, by?: Principal): Promise<ReceivedUpload>
  storedKeys(): Promise<string[]>
  /** The states of all files that were begun. */
  states(): Promise<(Medium['state'] | undefined)[]>
  expectNothingLeft(): Promise<void>
}

/** Opens receivers for the tests of a file, and closes them after each test. */
export function useReceivers() {
  const closes: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closes.splice(0)) await close()
  })
  return {
    async open(options: ReceiverOptions = {}): Promise<Receiver> {
      const { ledger, close } = await openLedger()
      closes.push(close)
      return createReceiver(ledger, options)
    },
  }
}

function createReceiver(ledger: MediaLedger, options: ReceiverOptions): Receiver {
  const { storage = memoryStorage(), handler = new DefaultUploadHandler() } = options
  const clock = createFakeClock()
  const ids: string[] = []
  const unexpected: unknown[] = []
  const begin: MediaLedger['begin'] = (medium) => {
    ids.push(medium.id)
    return ledger.begin(medium)
  }
  const services: UploadServices = {
    settings: resolveSettings({ tempUploadPath: 'tmp/', ownerQuota: options.ownerQuota ?? null }),
    ...{ storage, handler, clock },
    ledger: withMethods(ledger, { begin, ...options.methods?.(ledger) }),
    urls: { build: (key) => `/media/${key}` },
    logger: { warn: () => {}, error: (_message, error) => void unexpected.push(error) },
  }
  const receiver: Receiver = {
    ...{ clock, storage, ledger, ids, unexpected },
    receive: (file, by = ada) => receiveUpload(services, file, by),
    async storedKeys() {
      const keys: string[] = []
      for await (const { key } of storage.list('tmp/')) keys.push(key)
      return keys
    },
    states: () => Promise.all(ids.map(async (id) => (await ledger.get(id))?.state)),
    async expectNothingLeft() {
      expect(await receiver.storedKeys()).toEqual([])
      expect((await receiver.states()).filter((state) => state !== undefined)).toEqual([])
      expect(unexpected).toEqual([])
    },
  }
  return receiver
}
