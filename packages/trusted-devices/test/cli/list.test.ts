import { describe, expect, it } from 'vitest'
import { useApplication } from './use-application.ts'

const { execute, login, run } = useApplication()

describe('trusted-devices list', () => {
  it('lists the devices of all users or of one', async () => {
    const a = await login('ada', 2)
    const b = await login('grace', 1)
    const { out } = await run('list', '--json')
    const { devices: found, next_cursor } = JSON.parse(out)
    expect(found).toMatchObject([
      { uid: b, user_id: '2', name: 'test-client' },
      { uid: a, user_id: '1' },
    ])
    expect(next_cursor).toBeNull()
    const one = await run('list', '--user', '1')
    expect(one.out).toContain(`${a}  user 1  test-client`)
    expect(one.out).not.toContain(b)
    const page = await run('list', '--limit', '1')
    const cursor = /--cursor (\S+)/.exec(page.out)?.[1] ?? ''
    expect((await run('list', '--limit', '1', '--cursor', cursor)).out).toContain(a)
  })

  it('prints a device name without its control characters', async () => {
    await login('ada')
    const name = 'a\u009b31m\u0007b\u202ec\nd'
    await execute('UPDATE quillgate_device SET name = ?', [name])
    const text = await run('list')
    expect(text.out).toMatch(/ {2}a 31m b c d {2}/)
    const json = await run('list', '--json')
    for (const { out } of [text, json]) expect(out).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u)
    expect(JSON.parse(json.out).devices).toMatchObject([{ name }])
  })
})
