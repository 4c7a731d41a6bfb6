import { identifier, migrate, sqlFor } from '@quillgate/server/database'
import { describeDatabases } from '@quillgate/server/testing/suites'
import { deviceMigrations } from '@quillgate/trusted-devices'
import { describe, expect, it } from 'vitest'
import { Browser } from '../support/client.ts'
import { openHouse } from '../support/house.ts'

const FIRST = { ...deviceMigrations, migrations: deviceMigrations.migrations.slice(0, 1) }
const UID = '01936b7e-5d2a-7c4e-8f3b-2a1d4c5e6f70'

describeDatabases((engine) => {
  describe('a database of the first version', () => {
    it('gets what is new, and its devices go on', async () => {
      const test = await engine.open()
      const house = await openHouse({
        name: engine.name,
        async open<Tables>() {
          await migrate(test.database, FIRST)
          const sql = sqlFor(engine.name)
          const now = Date.UTC(2026, 10, 1)
          const insert = sql`INSERT INTO ${identifier('quillgate_device')} (uid, user_id, name, user_agent, created_at,
              last_seen_at, proved_at, can_delete_others, can_edit_others, token_family, token_counter, token_issued_at,
              credential_counter)
            VALUES (${UID}, '1', 'Old laptop', '', ${now}, ${now}, ${now}, ${true}, ${true}, 1, 0, ${now}, 0)`
          await test.database.executor(test.database.kysely).execute(insert.sql, insert.params)
          // The same one: `Tables` is nothing at run time.
          return test as Awaited<ReturnType<typeof engine.open<Tables>>>
        },
      })
      try {
        const { devices } = await house.devices.list('1')
        expect(devices).toMatchObject([
          { uid: UID, name: 'Old laptop', secondFactorRememberedUntil: null },
        ])
        const acting = { uid: UID, userId: '1' }
        expect(await house.devices.rememberSecondFactor(acting, { for: 60 })).not.toBeNull()
        expect(await house.devices.updateSession(acting, 'of the application')).toBe(true)
        const { device } = await new Browser(house.devices).login()
        expect(await house.devices.revokeAll('1', { keep: device.uid })).toBe(1)
        expect(house.signals.events.at(-1)).toMatchObject({
          deviceUid: UID,
          sessionId: 'of the application',
        })
      } finally {
        await house.close()
      }
    })

    it('gets room for countries that are no codes, wherever they are kept', async () => {
      const country = 'Côte d’Ivoire '.padEnd(100, 'é')
      const house = await openHouse(
        engine,
        { countryHistory: 86_400 },
        { locate: () => ({ country }) },
      )
      try {
        const login = async () => {
          const context = { request: new Request('http://localhost/'), address: '8.8.8.8' }
          return (await house.devices.login({ id: '1' }, context, { transport: 'bearer' })).device
        }
        const { uid } = await login()
        await house.devices.revokeAs({ uid, userId: '1' }, uid) // Its country goes to both other tables.
        expect((await login()).country).toBe(country)
        const rows = await Promise.all(
          ['device', 'device_past', 'device_country'].map((table) =>
            house.sql.query(`SELECT country FROM quillgate_${table}`),
          ),
        )
        expect(rows).toEqual([[{ country }], [{ country }], [{ country }]])
      } finally {
        await house.close()
      }
    })

    it('takes each step again that was interrupted before it was noted', async () => {
      const { database, close } = await engine.open()
      try {
        await migrate(database, deviceMigrations)
        if (engine.name === 'sqlite') return // All or nothing there.
        await database
          .executor(database.kysely)
          .execute("DELETE FROM quillgate_migrations WHERE name = '0004_second_factor'")
        expect(await migrate(database, deviceMigrations)).toEqual(['0004_second_factor'])
        await database
          .executor(database.kysely)
          .execute("DELETE FROM quillgate_migrations WHERE name = '0012_country_names'")
        expect(await migrate(database, deviceMigrations)).toEqual(['0012_country_names'])
      } finally {
        await close()
      }
    })
  })
})
