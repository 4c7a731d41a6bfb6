import type { AlertMail } from '@quillgate/login-alerts'
import { isUniqueViolation } from '@quillgate/server/database'
import type { DemoDatabase } from './database.ts'

export interface KeptMail {
  readonly id: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly sentAt: string
}

/**
 * Stores a mail in its user's mailbox, and prints the mail to the console. Ignores a mail that is
 * already stored.
 */
export async function keepMail(database: DemoDatabase, mail: AlertMail): Promise<void> {
  const row = {
    event_id: mail.eventId,
    user_id: mail.userId,
    recipient: mail.to,
    subject: mail.subject,
    body_text: mail.text,
    body_html: mail.html,
    sent_at: Date.now(),
  }
  try {
    await database.kysely.insertInto('demo_mail').values(row).execute()
  } catch (error) {
    if (isUniqueViolation(error)) return
    throw error
  }
  console.log(`Mail to ${mail.to}: ${mail.subject}\n\n${mail.text.replace(/^(?=.)/gm, '  ')}`)
}

export async function listMails(database: DemoDatabase, userId: string): Promise<KeptMail[]> {
  const rows = await database.kysely
    .selectFrom('demo_mail')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('sent_at', 'desc')
    .orderBy('event_id', 'desc')
    .execute()
  return rows.map((row) => ({
    id: row.event_id,
    to: row.recipient,
    subject: row.subject,
    text: row.body_text,
    html: row.body_html,
    sentAt: new Date(Number(row.sent_at)).toISOString(),
  }))
}

export async function findMail(
  database: DemoDatabase,
  userId: string,
  id: string,
): Promise<KeptMail | null> {
  return (await listMails(database, userId)).find((mail) => mail.id === id) ?? null
}
