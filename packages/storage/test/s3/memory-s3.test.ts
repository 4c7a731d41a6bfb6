import { storageSuite } from '@quillgate/storage/testing/suites'
import { FaultyS3 } from './faulty-s3.ts'

const partSize = 5 * 1024 * 1024

// Like Amazon S3, this service supports conditions on all requests. The gateway in
// `radosgw.test.ts` does not. `faults.test.ts` also uses this service.
storageSuite(
  's3 on a service in memory',
  async () => {
    const service = await FaultyS3.start({ pageSize: 10 })
    return { storage: service.storage({ partSize, timeout: 30 }), close: () => service.close() }
  },
  { large: 2 * partSize + 1, signsUrls: 'elsewhere' },
)
