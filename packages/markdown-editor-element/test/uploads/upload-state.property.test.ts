import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isBusy, mayFollow, nextToSend, type UploadState } from '../../src/uploads/upload-state.ts'

const STATES: readonly UploadState[] = [
  { kind: 'queued' },
  { kind: 'sending', abort: new AbortController() },
  { kind: 'paused', pause: { kind: 'offline' } },
  { kind: 'failed', error: new Error('lost') },
  { kind: 'settled', content: '![a](/a.png)' },
]

interface Upload {
  state: UploadState
}

const changes = fc.array(fc.tuple(fc.nat(5), fc.constantFrom(...STATES)), { maxLength: 60 })

describe('the states of uploads', () => {
  it('send at most three files at once, and no file after it is settled', () => {
    fc.assert(
      fc.property(changes, (steps) => {
        const uploads: Upload[] = Array.from({ length: 6 }, () => ({ state: { kind: 'queued' } }))
        const settled = new Set<Upload>()
        const sendNext = (): void => {
          for (const upload of nextToSend(uploads))
            upload.state = { kind: 'sending', abort: new AbortController() }
        }
        sendNext()
        for (const [index, state] of steps) {
          const upload = uploads[index]
          // Only the queue itself begins to send.
          if (upload === undefined || state.kind === 'sending') continue
          if (mayFollow(upload.state, state)) upload.state = state
          if (upload.state.kind === 'settled') settled.add(upload)
          sendNext()
          const sending = uploads.filter(({ state: { kind } }) => kind === 'sending')
          const queued = uploads.filter(({ state: { kind } }) => kind === 'queued')
          expect(sending.length).toBeLessThanOrEqual(3)
          expect(sending.length === 3 || queued.length === 0).toBe(true)
          for (const each of settled) expect(each.state.kind).toBe('settled')
        }
      }),
    )
  })

  it('let each upload that is not settled be removed, and each that failed or waits be retried', () => {
    const [queued, , , , settled] = STATES
    for (const state of STATES) {
      if (queued === undefined || settled === undefined) throw new Error('no state')
      expect(mayFollow(state, settled)).toBe(state.kind !== 'settled')
      expect(mayFollow(state, queued)).toBe(state.kind === 'failed' || state.kind === 'paused')
      expect(isBusy(state)).toBe(!['failed', 'settled'].includes(state.kind))
    }
  })
})
