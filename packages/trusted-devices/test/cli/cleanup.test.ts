import { describe, expect, it } from 'vitest'
import { useApplication } from './use-application.ts'

const { configure, login, receivedEvents, run, runHere, uids } = useApplication()

describe('trusted-devices cleanup', () => {
  it('revokes stale devices of all users, and waits for their receivers', async () => {
    const a = await login('ada', 100)
    const b = await login('grace', 91)
    await login('grace', 89)
    const dry = await run('cleanup', '--dry-run')
    expect(dry).toMatchObject({
      code: 0,
      out: expect.stringContaining('[dry run] Would revoke 2 stale devices'),
    })
    expect(await receivedEvents()).toEqual([])
    const { code, out } = await run('cleanup', '--config', 'quillgate.config.ts', '--json')
    expect(JSON.parse(out)).toEqual({
      revoked: 2,
      reduced_addresses: expect.any(Number),
      seen_before: '2026-04-02T00:00:00.000Z',
      dry_run: false,
      failures: [],
    })
    expect(code).toBe(0)
    expect(await receivedEvents()).toEqual([`1 ${a} stale`, `2 ${b} stale`])
  })

  it('waits for a slow receiver, and prints how long it waits', async () => {
    const a = await login('ada', 100)
    await configure('sleep(50)', 'sleep(2_200)')
    const { code, out, err } = await run('cleanup')
    expect(err).toBe('Still waiting for receivers. Each receiver has up to 60 s.\n')
    expect([code, out]).toEqual([0, expect.stringContaining('Revoked 1 stale devices')])
    expect(await receivedEvents()).toEqual([`1 ${a} stale`])
  })

  it('reduces old addresses even if devices never become stale', async () => {
    await login('ada', 40)
    await configure('receiverTimeout: 0.01', 'receiverTimeout: 0.01, staleAfter: null')
    expect((await run('cleanup')).out).toContain('reduced 2 addresses')
    const { code, out } = await run('cleanup', '--json')
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { revoked: 0, reduced_addresses: 0, seen_before: null, dry_run: false, failures: [] },
    ])
  })

  it('rejects an age below one day (S20)', async () => {
    await login('ada', 1)
    for (const days of ['0', '-1', 'abc', '0.5', '']) {
      const { code, err } = await runHere('cleanup', `--older-than=${days}`)
      expect([code, err]).toEqual([2, expect.stringContaining('--older-than must be')])
    }
    expect(await uids()).toHaveLength(1)
    expect((await run('cleanup', '--older-than', '1', '--dry-run')).out).toContain('0 stale')
  })
})
