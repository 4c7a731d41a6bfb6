import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { s3 } from '@quillgate/storage/s3'
import { beforeAll, expect, it } from 'vitest'
import { describeS3 } from '../../../../tests/support/s3-service.ts'
import { openEditor, png } from '../editor-fixture.ts'

describeS3('delivery by redirects to S3', ({ endpoint, accessKeyId, secretAccessKey }) => {
  const credentials = { accessKeyId, secretAccessKey }
  const bucket = `delivery-${process.pid}-${Date.now()}`

  beforeAll(async () => {
    const config = { endpoint, credentials, region: 'us-east-1', forcePathStyle: true }
    const client = new S3Client(config)
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    client.destroy()
  })

  it('redirects to the bucket, which answers with the same headers as the application', async () => {
    const storage = s3({ bucket, endpoint, credentials })
    const opened = await openEditor({}, { storage, clock: Date.now, delivery: 'redirect' })
    const { url } = await opened.upload('фото.png', png())
    const { replacements } = await opened.finalize(`![](${url})`)
    const permanent = replacements[url] ?? ''
    expect((await opened.get(url)).headers.get('location')).toBe(permanent)
    const redirect = await opened.get(permanent)
    expect(redirect.status).toBe(302)
    const location = redirect.headers.get('location') ?? ''
    const shown = await fetch(location)
    expect(shown.status).toBe(200)
    expect(shown.headers.get('content-type')).toBe('image/png')
    expect(shown.headers.get('content-disposition')).toBe(
      `inline; filename="____.png"; filename*=UTF-8''%D1%84%D0%BE%D1%82%D0%BE.png`,
    )
    expect(Buffer.from(await shown.arrayBuffer()).equals(png())).toBe(true)
    const part = await fetch(location, { headers: { range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'PNG'])
    expect((await fetch(location.replace(/-Expires=\d+/, '-Expires=9999'))).status).toBe(403)
    await opened.close()
  })
})
