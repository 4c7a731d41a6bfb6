import { describe, expect, it } from 'vitest'
import { useApplication } from './use-application.ts'

const { configure, login, run, runHere, uids, write } = useApplication()

describe('the trusted-devices program', () => {
  it.each([
    [[], /Use one of these commands: cleanup, list, revoke/],
    [['nonsense'], /Use one of/],
    [['list', 'more'], /Use one of/],
    [['list', '--nonsense'], /^There is no option --nonsense\. See --help\.$/m],
    [['list', '--usr', '1'], /^There is no option --usr\. Perhaps --user .*is meant\.$/m],
    [['cleanup', '--dryrun'], /^There is no option --dryrun\. Perhaps --dry-run is meant\.$/m],
    [['list', '--config', 'nope.ts'], /^--config: the file .*nope\.ts does not exist\.$/m],
    [['list', '--everything'], /list has no option --everything/],
    [['revoke'], /needs a condition such as --user <id>, or --everything/],
    [['constructor'], /Use one of/],
  ])('rejects %j with exit code 2', async (args, message) => {
    expect(await runHere(...args)).toMatchObject({
      code: 2,
      err: expect.stringMatching(message),
      out: '',
    })
  })

  it.each([
    [['list', '--limit', '0'], /limit must be a whole number from 1 to 100/],
    [['list', '--limit', '101'], /limit must be a whole number from 1 to 100/],
    [['revoke', '--everything', '--reason', 'x'.repeat(65)], /--reason must be text of 1 to 64/],
    [['list', '--cursor', 'x'], /cursor must be/],
    [['list', '--country', 'XX'], /country: Must be a country as locate returns it/],
    [['revoke', '--everything', '--country', 'DE'], /or --everything/],
    [['revoke', '--device', 'x'], /uid: Must be a UUID/],
    [['revoke', '--everything', '--reason', ''], /--reason/],
  ])(
    'rejects %j, changes nothing, and reports the error as JSON with --json',
    async (args, message) => {
      await login('ada')
      expect(await runHere(...args)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(message),
      })
      const { code, err, out } = await runHere(...args, '--json')
      expect([code, out, JSON.parse(err)]).toEqual([
        2,
        '',
        { error: { code: 'usage', message: expect.stringMatching(message) } },
      ])
      expect(await uids()).toHaveLength(1)
    },
  )

  it('prints help', async () => {
    expect(await runHere('--help')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/revoke[\s\S]*--country <name>[\s\S]*Exit codes/),
    })
  })

  it('reports what is wrong with the configuration', async () => {
    await write('empty.ts', 'export const nothing = 1')
    expect(await runHere('list', '--config', 'empty.ts')).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        'must export one instance of trusted devices (the result of createTrustedDevices), but exports 0',
      ),
    })
    await write('config.unknown', '')
    expect(await run('list', '--config', 'config.unknown')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Use Node 22.18 or later'),
    })
  })

  it('reports the code of an error, such as a database that cannot be reached', async () => {
    await configure(/'sqlite:'.*,/, "'postgres://nobody@127.0.0.1:9/none',", 'away.ts')
    expect(await run('list', '--config', 'away.ts', '--json')).toMatchObject({
      code: 1,
      err: expect.stringContaining('{"error":{"code":"database_unavailable"'),
    })
  })
})
