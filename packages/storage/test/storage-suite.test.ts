import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryStorage } from '@quillgate/storage/testing'
import { storageSuite } from '@quillgate/storage/testing/suites'
import { localFiles } from '../src/index.ts'

storageSuite('memoryStorage', async () => ({ storage: memoryStorage() }))

storageSuite('localFiles', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'quillgate-storage-'))
  return { storage: localFiles(directory), close: () => rm(directory, { recursive: true }) }
})
