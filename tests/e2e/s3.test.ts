import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningDemo, startDemo } from '../support/demo.ts'
import { png } from '../support/png.ts'
import type { S3Service } from '../support/radosgw.ts'
import { describeS3 } from '../support/s3-service.ts'

const root = join(import.meta.dirname, '..', '..')
const picture = new Uint8Array(png(8, 8, [1, 2, 3]))

describeS3('the demo on S3', ({ endpoint, accessKeyId, secretAccessKey }: S3Service) => {
  const bucket = `demo-${process.pid}-${Date.now()}`
  const url = (name: string): string =>
    `s3://${name}/media?endpoint=${encodeURIComponent(endpoint)}`
  const keys = {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_REGION: 'us-east-1',
  }
  const variables = { ...keys, QUILLGATE_STORAGE_URL: url(bucket) }
  let client: S3Client
  let demo: RunningDemo
  let auth: { authorization: string }

  beforeAll(async () => {
    client = new S3Client({
      ...{ endpoint, region: 'us-east-1', forcePathStyle: true },
      credentials: { accessKeyId, secretAccessKey },
    })
    for (const name of [bucket, `${bucket}-next`])
      await client.send(new CreateBucketCommand({ Bucket: name }))
    demo = await startDemo(variables)
    const { access } = await json<{ access: string }>('/trusted-devices/token', 'POST', 200, {
      ...{ username: 'ada', password: 'quillgate' },
    })
    auth = { authorization: `Bearer ${access}` }
  })
  afterAll(async () => {
    await demo?.stop()
    client?.destroy()
  })

  async function json<Answer>(
    path: string,
    method: string,
    status: number,
    body: unknown,
  ): Promise<Answer> {
    const headers = { 'content-type': 'application/json', ...auth }
    const response = await fetch(new URL(path, demo.url), {
      method,
      headers,
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(status)
    return (await response.json()) as Answer
  }
  async function upload(): Promise<string> {
    const form = new FormData()
    form.set('file', new Blob([picture], { type: 'image/png' }), 'a.png')
    const response = await fetch(new URL('/md-editor/upload', demo.url), {
      method: 'POST',
      headers: auth,
      body: form,
    })
    expect(response.status, await response.clone().text()).toBe(201)
    return ((await response.json()) as { url: string }).url
  }
  /** Returns the keys of the media in a bucket, without the prefix `media/`. */
  async function stored(name = bucket): Promise<string[]> {
    const { Contents = [] } = await client.send(
      new ListObjectsV2Command({ Bucket: name, Prefix: 'media/md-editor/' }),
    )
    return Contents.map(({ Key = '' }) => Key.slice('media/'.length))
  }
  const run = (args: string[], more: Record<string, string> = {}): Promise<{ stdout: string }> =>
    promisify(execFile)(
      process.execPath,
      [
        'packages/markdown-editor/bin/markdown-editor.js',
        ...args,
        '--config',
        'apps/demo/quillgate.config.ts',
      ],
      {
        cwd: root,
        env: {
          PATH: process.env['PATH'],
          QUILLGATE_DATA: demo.dataDirectory,
          ...variables,
          ...more,
        },
      },
    )

  // The timeout is high, because the test starts three programs.
  it('uploads, finalizes, serves, checks, sweeps and deletes', {
    timeout: 120_000,
  }, async () => {
    const temporary = await upload()
    const forgotten = await upload()
    expect((await stored()).sort()).toEqual([temporary, forgotten].map(keyOfTemporary).sort())

    const text = `![a](${temporary})`
    const { replacements } = await json<{ replacements: Record<string, string> }>(
      '/md-editor/finalize',
      'POST',
      200,
      {
        text,
      },
    )
    const permanent = replacements[temporary] ?? ''
    const post = await json<{ id: string; html: string }>('/api/posts', 'POST', 201, {
      title: 'S3',
      body: `![a](${permanent})`,
    })
    expect(post.html).toContain(`src="${permanent}"`)
    const shown = await fetch(new URL(permanent, demo.url))
    expect([shown.status, shown.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await shown.arrayBuffer()).equals(picture)).toBe(true)
    const part = await fetch(new URL(permanent, demo.url), { headers: { range: 'bytes=1-3' } })
    expect([part.status, await part.text()]).toEqual([206, 'PNG'])

    const checked = await run(['check', '--verify', '--json'], {})
    expect(JSON.parse(checked.stdout)).toMatchObject({
      stopped: null,
      damaged: { count: 0 },
      strays: { count: 0 },
    })

    const swept = await run(['sweep', '--json'], { QUILLGATE_TEMP_MAX_AGE: '0' })
    expect(JSON.parse(swept.stdout)).toMatchObject({ stopped: null, expired: 1 })
    expect(await stored()).toEqual([permanent.slice('/media/'.length)])

    await json(`/api/posts/${post.id}`, 'PUT', 200, { title: 'S3', body: 'No picture any more.' })
    expect(await stored()).toEqual([])
    expect((await fetch(new URL(permanent, demo.url))).status).toBe(404)
  })
})

/**
 * Returns the storage key of a temporary file by its URL. Unlike the URL, the key does not contain
 * the size of the image.
 */
function keyOfTemporary(path: string): string {
  return path.slice('/media/'.length).replace(/-\d+x\d+-/, '-')
}
