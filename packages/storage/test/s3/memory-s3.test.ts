import { storageSuite } from '@quillgate/storage/testing/suites'
import { FaultyS3 } from './faulty-s3.ts'

const partSize = 5 * 1024 * 1024

// What Amazon does and the gateway of the other tests does not: conditions of all requests. It also shows that the
// service behind the tests with faults is one.
storageSuite(
  's3 on a service in memory',
  async () => {
    const service = await FaultyS3.start({ pageSize: 10 })
    return { storage: service.storage({ partSize, timeout: 30 }), close: () => service.close() }
  },
  { large: 2 * partSize + 1, signsUrls: 'elsewhere' },
)
