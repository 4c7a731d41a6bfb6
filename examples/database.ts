// Creates a table, and reads and writes its rows.

import { column, defineTables, migrate, openDatabase, table } from '@quillgate/server/database'

const database = openDatabase('sqlite:./app.sqlite')
const tables = defineTables({
  note: table({ id: column.id(), body: column.longText() }, ['id']),
})
await migrate(database, {
  component: 'notes',
  migrations: [{ name: '0001_note', statements: tables.createStatements }],
})

export const notes = await database.transaction(async (trx) => {
  const tx = database.executor(trx)
  const db = tables.on(tx, 'quillgate_') // Kysely's query builder, typed by the tables
  await db.insertInto('note').values({ id: crypto.randomUUID(), body: 'Hello' }).execute()

  await tx.query("DELETE FROM quillgate_note WHERE body = '' RETURNING id") // plain SQL
  return db.selectFrom('note').selectAll().execute()
})
console.log(notes)
await database.close()
