import 'reflect-metadata'
import { typeormExecutor } from '@quillgate/markdown-editor/orm/typeorm'
import { describeDatabases, sqlExecutorSuite } from '@quillgate/server/testing/suites'
import { DataSource } from 'typeorm'
import { describe, expect, it } from 'vitest'
import { optionsFor } from './fixture.ts'

describe('typeormExecutor', () => {
  describeDatabases((engine) => {
    const open = async () => {
      const { url, close } = await engine.open()
      const dataSource = await new DataSource(optionsFor(engine, url)).initialize()
      return {
        async transaction<Result>(
          work: (executor: ReturnType<typeof typeormExecutor>) => Promise<Result>,
        ) {
          return dataSource.transaction(({ queryRunner }) => {
            return work(typeormExecutor(queryRunner))
          })
        },
        async close() {
          await dataSource.destroy()
          await close()
        },
      }
    }

    sqlExecutorSuite(open)

    it.each([[new Date(0)], [undefined], [{}], [['a']], [Number.NaN]])(
      'refuses the parameter %s',
      async (value) => {
        const { transaction, close } = await open()
        const refused = transaction((executor) => executor.query('SELECT 1', [value]))
        await expect(refused).rejects.toMatchObject({ code: 'invalid_parameter' })
        await close()
      },
    )
  })
})
