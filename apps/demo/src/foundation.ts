import { type DemoDatabase, openDemoDatabase } from './database.ts'
import { type Environment, readEnvironment } from './environment.ts'

export const environment: Environment = readEnvironment(process.env)

export const database: DemoDatabase = openDemoDatabase(environment.databaseUrl)
