import { describe, expect, it } from 'vitest'
import { useApplication } from './use-application.ts'

const { execute, login, receivedEvents, run, uids } = useApplication()

describe('trusted-devices revoke', () => {
  it('revokes one device, or all devices of a user', async () => {
    const a = await login('ada')
    const b = await login('ada')
    const c = await login('grace')
    expect((await run('revoke', '--user', '1', '--device', a, '--dry-run')).out).toContain(
      'Would revoke 1',
    )
    expect(await receivedEvents()).toEqual([])
    expect((await run('revoke', '--user', '1', '--device', a.toUpperCase())).out).toContain(
      'Revoked 1',
    )
    expect((await run('revoke', '--user', '1', '--device', c)).out).toBe('Revoked 0 devices.\n')
    expect(
      JSON.parse((await run('revoke', '--user', '1', '--reason', 'stolen laptop', '--json')).out),
    ).toEqual({
      revoked: 1,
      dry_run: false,
      failures: [],
    })
    expect(await receivedEvents()).toEqual([`1 ${a} administrator`, `1 ${b} stolen laptop`].sort())
    expect(await uids()).toEqual([c])
  })

  it('revokes the same devices that list and the dry run select', async () => {
    const old = await login('ada', 80)
    await execute("UPDATE quillgate_device SET country = 'DE'")
    const [fresh, other] = [await login('ada', 10), await login('grace', 85)]
    const where = ['--country', 'DE', '--user', '1']
    expect(JSON.parse((await run('list', ...where, '--json')).out).devices).toMatchObject([
      { uid: old },
    ])
    const dry = await run('revoke', ...where, '--dry-run', '--json')
    expect(JSON.parse(dry.out)).toEqual({
      revoked: 1,
      dry_run: true,
      sample: [expect.objectContaining({ uid: old, user_id: '1' })],
      failures: [],
    })
    expect((await run('revoke', ...where, '--dry-run')).out).toContain(
      `[dry run] Would revoke 1 devices, for example:\n${old}`,
    )
    expect(await receivedEvents()).toEqual([])
    expect(await run('revoke', ...where)).toEqual({ code: 0, out: 'Revoked 1 devices.\n', err: '' })
    expect(await receivedEvents()).toEqual([`1 ${old} administrator`])
    expect(await uids()).toEqual([fresh, other])
    expect((await run('revoke', '--user', '1', '--user', '2')).out).toBe('Revoked 2 devices.\n')
  })

  it('revokes all devices with --everything', async () => {
    await login('ada')
    await login('grace')
    expect((await run('revoke', '--everything', '--dry-run')).out).toContain('Would revoke 2')
    expect((await run('revoke', '--everything', '--reason', 'breach')).out).toBe(
      'Revoked 2 devices.\n',
    )
    expect((await receivedEvents()).map((line) => line.split(' ')[2])).toEqual(['breach', 'breach'])
  })

  it('exits with 1 if a user fails, and names the user', async () => {
    await login('ada')
    await login('grace')
    await execute(
      "CREATE TRIGGER no BEFORE DELETE ON quillgate_device WHEN OLD.user_id = '1' BEGIN SELECT RAISE(ABORT, 'no'); END",
    )
    const { code, out, err } = await run('revoke', '--everything', '--json')
    expect(JSON.parse(out)).toEqual({
      revoked: 1,
      dry_run: false,
      failures: [{ user_id: '1', message: expect.stringContaining('no') }],
    })
    expect([code, err]).toEqual([1, ''])
    const text = await run('revoke', '--everything')
    expect(text).toMatchObject({
      code: 1,
      out: 'Revoked 0 devices.\n',
      err: expect.stringContaining('Failed for 1 users:'),
    })
  })
})
