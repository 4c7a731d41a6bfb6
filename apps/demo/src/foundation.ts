import { type DemoDatabase, openDemoDatabase } from './database.ts'
import { type Environment, readEnvironment } from './environment.ts'

/** The environment of the process. */
export const environment: Environment = readEnvironment(process.env)

/** The database of the demo and of the components. */
export const database: DemoDatabase = openDemoDatabase(environment.databaseUrl)
