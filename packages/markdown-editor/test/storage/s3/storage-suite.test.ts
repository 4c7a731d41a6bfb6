import { randomUUID } from 'node:crypto'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { beforeAll } from 'vitest'
import { describeS3 } from '../../../../../tests/support/s3-service.ts'
import { s3 } from '../../../src/storage/index.ts'
import { storageSuite } from '../../../src/testing/suites.ts'

describeS3('on radosgw', ({ endpoint, ...credentials }) => {
  const bucket = `suite-${randomUUID()}`

  beforeAll(async () => {
    const client = new S3Client({ endpoint, credentials, region: 'us-east-1', forcePathStyle: true })
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    client.destroy()
  })

  const open = async () => ({
    storage: s3({ bucket, prefix: `${randomUUID()}/`, endpoint, credentials, partSize: 5 * 1024 * 1024 }),
  })
  storageSuite('s3', open, { listed: 1_100, large: 11 * 1024 * 1024, signsUrls: true })
})
