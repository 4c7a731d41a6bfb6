import {
  columnTypes,
  type Database,
  type Migration,
  migrate,
  openDatabase,
} from '@quillgate/server/database'

/** The demo's own tables. They share the database with Quillgate's. */
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
  /** Tells events of one millisecond apart. */
  sequence: number
  device_uid: string
  country: string | null
  /** JSON array of country codes, for suspicious_login. */
  previous_countries: string | null
  reason: string | null
  /** The name that the device had. Null in events from before the column. */
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

/** The database that the demo shares with both components, so that a post and its references commit together. */
export type DemoDatabase = Database<DemoTables>

/** Opens the database; it connects at the first use. */
export function openDemoDatabase(url: string): DemoDatabase {
  return openDatabase<DemoTables>(url)
}

const tables: Migration = {
  name: '0001_demo',
  statements(dialect) {
    const { id, text, longText, integer, tableSuffix } = columnTypes(dialect)
    return [
      `CREATE TABLE IF NOT EXISTS demo_post (
        id ${id()} NOT NULL PRIMARY KEY,
        author_id ${id()} NOT NULL,
        title ${text(255)} NOT NULL,
        body ${longText} NOT NULL,
        created_at ${integer} NOT NULL,
        updated_at ${integer} NOT NULL
      )${tableSuffix}`,
      `CREATE TABLE IF NOT EXISTS demo_security_event (
        event_id ${id()} NOT NULL PRIMARY KEY,
        user_id ${id()} NOT NULL,
        signal_name ${id()} NOT NULL,
        at ${integer} NOT NULL,
        sequence ${integer} NOT NULL,
        device_uid ${id()} NOT NULL,
        country ${id()},
        previous_countries ${text(768)},
        reason ${id()}
      )${tableSuffix}`,
    ]
  },
}

const mails: Migration = {
  name: '0002_mails',
  statements(dialect) {
    const { id, text, longText, integer, tableSuffix } = columnTypes(dialect)
    return [
      `CREATE TABLE IF NOT EXISTS demo_mail (
        event_id ${id()} NOT NULL PRIMARY KEY,
        user_id ${id()} NOT NULL,
        recipient ${text(255)} NOT NULL,
        subject ${text(255)} NOT NULL,
        body_text ${longText} NOT NULL,
        body_html ${longText} NOT NULL,
        sent_at ${integer} NOT NULL
      )${tableSuffix}`,
    ]
  },
}

const profiles: Migration = {
  name: '0003_profiles',
  statements(dialect) {
    const { id, text, tableSuffix } = columnTypes(dialect)
    return [
      `CREATE TABLE IF NOT EXISTS demo_profile (
        user_id ${id()} NOT NULL PRIMARY KEY,
        name ${text(255)} NOT NULL
      )${tableSuffix}`,
    ]
  },
}

const deviceNames: Migration = {
  name: '0004_device_names',
  statements(dialect) {
    return [
      `ALTER TABLE demo_security_event ADD COLUMN device_name ${columnTypes(dialect).text(255)}`,
    ]
  },
}

/** Creates the demo's tables where they are missing. */
export async function migrateDemo(database: DemoDatabase): Promise<void> {
  await migrate(database, { component: 'demo', migrations: [tables, mails, profiles, deviceNames] })
}
