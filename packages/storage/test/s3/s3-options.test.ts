import { describe, expect, it } from 'vitest'
import { s3, s3FromUrl } from '../../src/s3/index.ts'
import type { S3Options } from '../../src/s3/s3-options.ts'
import { FaultyS3 } from './faulty-s3.ts'

describe('s3', () => {
  it('names the wrong option before it sends a request', () => {
    const wrong: readonly [string, unknown][] = [
      ['bucket', ''],
      ['bucket', 'a/b'],
      ['bucket', undefined],
      ['prefix', '/media'],
      ['prefix', '../media/'],
      ['prefix', 'm'.repeat(121)],
      ['region', ''],
      ['endpoint', 'storage.example.com'],
      ['endpoint', 'ftp://storage.example.com'],
      ['endpoint', 'https://key:hidden@storage.example.com'],
      ['publicEndpoint', 'browsers'],
      ['credentials', { accessKeyId: 'hidden' }],
      ['forcePathStyle', 'true'],
      ['partSize', 5 * 1024 * 1024 - 1],
      ['partSize', 513 * 1024 * 1024],
      ['timeout', 0],
      ['timeout', 1.5],
      ['clock', 1],
      ['acl', 'public-read'],
    ]
    for (const [name, value] of wrong) {
      const options = { bucket: 'media', [name]: value } as unknown as S3Options
      const refusal = expect.objectContaining({
        code: 'configuration_error',
        message: expect.stringContaining(`s3.${name}`),
      })
      expect(() => s3(options), `${name}: ${value}`).toThrow(refusal)
      expect(() => s3(options)).not.toThrow('hidden')
    }
  })

  it('accepts a whole bucket or a folder', () => {
    for (const prefix of ['', 'app', 'app/', 'app/media/'])
      expect(() => s3({ bucket: 'media', prefix })).not.toThrow()
  })
})

describe('s3FromUrl', () => {
  it('reads bucket, prefix, credentials and parameters', async () => {
    const service = await FaultyS3.start()
    const secret = encodeURIComponent('a/b+c=')
    const endpoint = encodeURIComponent(service.endpoint)
    const storage = s3FromUrl(
      `s3://key:${secret}@bucket/app/media?endpoint=${endpoint}&region=eu-central-1&forcePathStyle=true`,
    )
    await storage.write('a/file', [Buffer.from('x')] as never, { type: 'text/plain' })
    expect([...service.memory.objects.keys()]).toEqual(['app/media/a/file'])
    const url = await storage.signedUrl('a/file', {
      expiresIn: 60,
      type: 'text/plain',
      disposition: 'inline',
    })
    expect(new URL(url).searchParams.get('X-Amz-Credential')).toMatch(
      /^key\/\d+\/eu-central-1\/s3\/aws4_request$/,
    )
    await storage.close()
    await service.close()
  })

  it('rejects other URLs, and never quotes a secret', () => {
    const wrong = [
      'https://hidden@bucket',
      's3:bucket',
      's3://key:hidden@',
      's3://key:hidden@bucket:80',
      's3://key:hidden@bucket#x',
      's3://key:hidden@bucket/%zz',
      's3://key:%zzhidden@bucket',
      's3://key:@bucket',
      's3://key:hidden@bucket?regoin=x',
      's3://key:hidden@bucket?region=a&region=b',
      's3://key:hidden@bucket?__proto__=x',
      's3://key:hidden@bucket?forcePathStyle=yes',
      's3://key:hidden@bucket?partSize=8',
      's3://key:hidden@bucket?endpoint=http://a:hidden@b',
      '',
    ]
    for (const url of wrong) {
      expect(() => s3FromUrl(url), url).toThrow(
        expect.objectContaining({ code: 'configuration_error' }),
      )
      expect(() => s3FromUrl(url)).not.toThrow('hidden')
    }
  })
})
