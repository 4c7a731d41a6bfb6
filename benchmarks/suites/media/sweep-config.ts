// The configuration of the command line for `sweep.ts`. Environment variables select the ledger.
import { readFileSync, writeFileSync } from 'node:fs'
import { createMarkdownEditor, type MarkdownEditor } from '@quillgate/markdown-editor'
import { createQuillgate } from '@quillgate/server'
import { localFiles } from '@quillgate/storage'
import { folders, generatedStorage } from './generated-media.ts'

const HOUR = 3600
const {
  LEDGER_URL = '',
  LEDGER_DIRECTORY = '',
  LEDGER_COUNT,
  LEDGER_NOW,
  LEDGER_TAKEN,
} = process.env

const gate = createQuillgate({
  secret: 'a secret of thirty-two bytes, no less',
  database: LEDGER_URL,
  clock: () => Number(LEDGER_NOW),
})

export const editor: MarkdownEditor = createMarkdownEditor(gate, {
  storage: generatedStorage(Number(LEDGER_COUNT), localFiles(LEDGER_DIRECTORY)),
  authenticate: () => null,
  settings: { ...folders, sweepInterval: null, tempMaxAge: 720 * HOUR, orphanGrace: 24 * HOUR },
})

process.on('exit', () => {
  if (LEDGER_TAKEN === undefined) return
  const { user, system } = process.cpuUsage()
  writeFileSync(LEDGER_TAKEN, JSON.stringify({ cpu: (user + system) / 1000, memory: peakMemory() }))
})

/**
 * Returns the maximum memory of this process in bytes. On Linux, does not use `maxRSS`, because it
 * starts with the value of the parent process.
 */
function peakMemory(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024
}
