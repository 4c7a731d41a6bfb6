import { expect, it } from 'vitest'
import { chunks, type Given, info } from './storage-bodies.ts'

const options = {
  expiresIn: 60,
  type: 'image/png',
  disposition: 'inline; filename="photo.png"',
} as const

/** Adds the tests of `signedUrl`. */
export function signedUrlTests(given: Given): void {
  const sign = async (key: string): Promise<string> => {
    const url = await given().signedUrl?.(key, options)
    if (url === undefined)
      throw new Error('The storage has no signedUrl, although the option signsUrls is true')
    return url
  }
  const status = async (url: string | URL, init?: RequestInit): Promise<number> => {
    const response = await fetch(url, init)
    await response.body?.cancel()
    return response.status
  }

  it('allows reading the object with the given type and disposition', async () => {
    await given().write('a/photo.png', chunks('0123456789'), info)
    const response = await fetch(await sign('a/photo.png'))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(options.type)
    expect(response.headers.get('content-disposition')).toBe(options.disposition)
    expect(await response.text()).toBe('0123456789')
  })

  it('allows reading a range', async () => {
    await given().write('a/фото.png', chunks('0123456789'), info)
    const response = await fetch(await sign('a/фото.png'), { headers: { range: 'bytes=2-4' } })
    expect(response.status).toBe(206)
    expect(await response.text()).toBe('234')
  })

  it('does not check whether the object exists', async () => {
    expect(await status(await sign('a/none'))).toBe(404)
  })

  it('is not valid for other methods, keys, types or dispositions', async () => {
    await given().write('a/photo.png', chunks('x'), info)
    await given().write('a/other.png', chunks('y'), info)
    const url = await sign('a/photo.png')
    expect(await status(url, { method: 'DELETE' })).toBe(403)
    expect(await status(url, { method: 'PUT', body: 'z' })).toBe(403)
    expect(await status(url.replace('photo.png?', 'other.png?'))).toBe(403)
    expect(await status(changed(url, /type/i, 'text/html'))).toBe(403)
    expect(await status(changed(url, /disposition/i, 'inline'))).toBe(403)
    expect(await status(url)).toBe(200)
  })

  it('rejects invalid keys', async () => {
    await expect(given().signedUrl?.('../a', options)).rejects.toMatchObject({
      code: 'invalid_storage_key',
    })
  })
}

/** Adds the test that a storage has no `signedUrl`. */
export function unsignedTests(given: Given): void {
  it('is missing', () => {
    expect(given().signedUrl).toBeUndefined()
  })
}

function changed(url: string, name: RegExp, value: string): URL {
  const other = new URL(url)
  const names = [...other.searchParams.keys()].filter((key) => name.test(key))
  if (names.length === 0) throw new Error(`The URL has no parameter that matches ${name}`)
  for (const key of names) other.searchParams.set(key, value)
  return other
}
