import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { storageSuite } from '@quillgate/storage/testing/suites'
import { Disk } from 'flydrive'
import { FSDriver } from 'flydrive/drivers/fs'
import { S3Driver } from 'flydrive/drivers/s3'
import { beforeAll } from 'vitest'
import { describeS3 } from '../../../../tests/support/s3-service.ts'
import { flydrive } from '../../src/flydrive/index.ts'

const large = 3 * 1024 * 1024 // Larger than bodies that are kept in memory.

storageSuite(
  'flydrive with files',
  async () => {
    const location = await mkdtemp(join(tmpdir(), 'quillgate-flydrive-'))
    const disk = new Disk(new FSDriver({ location, visibility: 'private' }))
    return { storage: flydrive(disk), close: () => rm(location, { recursive: true, force: true }) }
  },
  { large },
)

describeS3('on radosgw', ({ endpoint, ...credentials }) => {
  const client = new S3Client({
    endpoint,
    credentials,
    region: 'us-east-1',
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const buckets: string[] = []
  const makeBucket = async (): Promise<string> => {
    const bucket = `flydrive-${randomUUID()}`
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    buckets.push(bucket)
    return bucket
  }

  beforeAll(() => () => client.destroy())

  storageSuite(
    'flydrive with S3',
    async () => {
      const driver = new S3Driver({
        client,
        bucket: await makeBucket(),
        visibility: 'private',
        supportsACL: false,
      })
      return { storage: flydrive(new Disk(driver), { signedUrls: true }) }
    },
    { large, signsUrls: true, listed: 100 },
  )
})
