import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { localFiles } from '../../src/storage/index.ts'
import { memoryStorage } from '../../src/testing/index.ts'
import { storageSuite } from '../../src/testing/suites.ts'

storageSuite('memoryStorage', async () => ({ storage: memoryStorage() }))

storageSuite('localFiles', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'quillgate-storage-'))
  return { storage: localFiles({ directory }), close: () => rm(directory, { recursive: true }) }
})
