import { storageSuite } from '@quillgate/storage/testing/suites'
import { FaultyS3 } from './faulty-s3.ts'

const partSize = 5 * 1024 * 1024

// Like Amazon, and unlike the gateway of the other tests, this service supports conditions of all requests. The
// tests with faults use it too.
storageSuite(
  's3 on a service in memory',
  async () => {
    const service = await FaultyS3.start({ pageSize: 10 })
    return { storage: service.storage({ partSize, timeout: 30 }), close: () => service.close() }
  },
  { large: 2 * partSize + 1, signsUrls: 'elsewhere' },
)
