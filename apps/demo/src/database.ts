import {
  column,
  type Database,
  defineTables,
  type Migration,
  migrate,
  openDatabase,
  table,
} from '@quillgate/server/database'

/** The demo's own tables. They are in the same database as Quillgate's tables. */
export interface DemoTables {
  demo_post: PostTable
  demo_security_event: SecurityEventTable
  demo_mail: MailTable
  demo_profile: ProfileTable
}

interface PostTable {
  id: string
  author_id: string
  title: string
  body: string
  created_at: number
  updated_at: number
}

interface SecurityEventTable {
  event_id: string
  user_id: string
  signal_name: string
  at: number
  /** Determines the order of events in the same millisecond. */
  sequence: number
  device_uid: string
  country: string | null
  /** A JSON array of country codes for `suspicious_login`. Null for other events. */
  previous_countries: string | null
  reason: string | null
  /**
   * The name of the device at the time of the event. Null for events that were stored before this
   * column existed.
   */
  device_name: string | null
}

interface MailTable {
  event_id: string
  user_id: string
  recipient: string
  subject: string
  body_text: string
  body_html: string
  sent_at: number
}

interface ProfileTable {
  user_id: string
  name: string
}

/**
 * The database of the demo and of both components. One transaction can save a post and its
 * references.
 */
export type DemoDatabase = Database<DemoTables>

/** The first query connects to the database. */
export function openDemoDatabase(url: string): DemoDatabase {
  return openDatabase<DemoTables>(url)
}

const tables = defineTables({
  demoPost: table(
    {
      id: column.id(),
      authorId: column.id(),
      title: column.text(255),
      body: column.longText(),
      createdAt: column.integer(),
      updatedAt: column.integer(),
    },
    ['id'],
  ),
  demoSecurityEvent: table(
    {
      eventId: column.id(),
      userId: column.id(),
      signalName: column.id(),
      at: column.integer(),
      sequence: column.integer(),
      deviceUid: column.id(),
      country: column.id().orNull(),
      previousCountries: column.text(768).orNull(),
      reason: column.id().orNull(),
    },
    ['eventId'],
  ),
})

const mails = defineTables({
  demoMail: table(
    {
      eventId: column.id(),
      userId: column.id(),
      recipient: column.text(255),
      subject: column.text(255),
      bodyText: column.longText(),
      bodyHtml: column.longText(),
      sentAt: column.integer(),
    },
    ['eventId'],
  ),
})

const profiles = defineTables({
  demoProfile: table({ userId: column.id(), name: column.text(255) }, ['userId']),
})

const migrations: readonly Migration[] = [
  { name: '0001_demo', statements: (dialect) => tables.createStatements(dialect, '') },
  { name: '0002_mails', statements: (dialect) => mails.createStatements(dialect, '') },
  { name: '0003_profiles', statements: (dialect) => profiles.createStatements(dialect, '') },
  {
    name: '0004_device_names',
    statements: (dialect) => [
      `ALTER TABLE demo_security_event ADD COLUMN device_name ${column.text(255).types[dialect]}`,
    ],
  },
]

export async function migrateDemo(database: DemoDatabase): Promise<void> {
  await migrate(database, { component: 'demo', migrations })
}
