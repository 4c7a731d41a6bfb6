import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { accessSync, constants, openSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The URL and the keys of an S3 service. */
export interface S3Service {
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** A Ceph cluster on this machine. It has one monitor, one disk in memory, and the S3 gateway. */
export interface Radosgw {
  readonly service: S3Service
  stop(): Promise<void>
}

const PROGRAMS = [
  'ceph',
  'ceph-authtool',
  'ceph-mon',
  'ceph-osd',
  'monmaptool',
  'radosgw',
  'radosgw-admin',
]

/** The reason why no gateway can run here, or null. */
export function whyNoRadosgw(): string | null {
  const missing = PROGRAMS.filter((program) => !isInstalled(program))
  return missing.length === 0 ? null : `radosgw is not installed (${missing.join(', ')})`
}

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Starts a gateway in a temporary folder, on free ports of the loopback interface. */
export async function startRadosgw(): Promise<Radosgw> {
  const folder = await mkdtemp(join(tmpdir(), 'quillgate-radosgw-'))
  const cluster = new Cluster(folder, await freePort(), await freePort())
  try {
    await cluster.start()
    return { service: cluster.service, stop: () => cluster.stop() }
  } catch (error) {
    const logs = await cluster.logs()
    await cluster.stop()
    throw new Error(`radosgw did not start:\n${logs}`, { cause: error })
  }
}

class Cluster {
  readonly service: S3Service
  readonly #folder: string
  readonly #monitorPort: number
  readonly #fsid: string = randomUUID()
  readonly #daemons: ChildProcess[] = []

  constructor(folder: string, monitorPort: number, gatewayPort: number) {
    this.#folder = folder
    this.#monitorPort = monitorPort
    this.service = {
      endpoint: `http://127.0.0.1:${gatewayPort}`,
      accessKeyId: randomBytes(10).toString('hex'),
      secretAccessKey: randomBytes(20).toString('hex'),
    }
  }

  async start(): Promise<void> {
    const { accessKeyId, secretAccessKey, endpoint } = this.service
    await this.#prepare()
    this.#daemon('ceph-mon', '-i', 'a', '-f')
    const disk = randomUUID()
    await this.#run('ceph', 'osd', 'new', disk)
    await this.#run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', disk)
    this.#daemon('ceph-osd', '-i', '0', '-f')
    this.#daemon('radosgw', '-n', 'client.admin', '-f')
    const keys = ['--access-key', accessKeyId, '--secret-key', secretAccessKey]
    await this.#run(
      'radosgw-admin',
      'user',
      'create',
      '--uid',
      'test',
      '--display-name',
      'test',
      ...keys,
    )
    await this.#answers(endpoint)
  }

  async stop(): Promise<void> {
    for (const daemon of this.#daemons) {
      daemon.stdin?.destroy() // The shell then kills the daemon.
      if (daemon.exitCode === null) await new Promise((resolve) => daemon.once('exit', resolve))
    }
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }

  /** Returns the end of the output of each daemon. */
  async logs(): Promise<string> {
    const names = ['ceph-mon', 'ceph-osd', 'radosgw']
    const texts = names.map((name) =>
      readFile(join(this.#folder, `${name}.out`), 'utf8').catch(() => ''),
    )
    return (await Promise.all(texts))
      .map((text, index) => `${names[index]}: ${text.slice(-1000)}`)
      .join('\n')
  }

  /** Writes the configuration, a key for each daemon, and the first map of the monitor. */
  async #prepare(): Promise<void> {
    await Promise.all(['mon', 'osd'].map((name) => mkdir(join(this.#folder, name))))
    await writeFile(join(this.#folder, 'ceph.conf'), this.#configuration())
    const keyring = join(this.#folder, 'keyring')
    const entities = ['mon.', 'client.admin', 'osd.0']
    for (const [index, name] of entities.entries()) {
      const caps = ['mon', 'osd'].flatMap((service) => ['--cap', service, 'allow *'])
      await run('ceph-authtool', [
        ...(index === 0 ? ['--create-keyring'] : []),
        keyring,
        '--gen-key',
        '-n',
        name,
        ...caps,
      ])
    }
    const map = join(this.#folder, 'monmap')
    const address = `[v1:127.0.0.1:${this.#monitorPort}]`
    await run('monmaptool', ['--create', '--addv', 'a', address, '--fsid', this.#fsid, map])
    await this.#run('ceph-mon', '-i', 'a', '--mkfs', '--monmap', map, '--keyring', keyring)
  }

  #configuration(): string {
    const settings = {
      fsid: this.#fsid,
      'mon host': `[v1:127.0.0.1:${this.#monitorPort}]`,
      'mon initial members': 'a',
      // Without these settings, the disk daemon listens on every network interface.
      'public addr': '127.0.0.1',
      'cluster addr': '127.0.0.1',
      'auth cluster required': 'cephx',
      'auth service required': 'cephx',
      'auth client required': 'cephx',
      keyring: `${this.#folder}/keyring`,
      'run dir': this.#folder,
      'admin socket': `${this.#folder}/$name.asok`,
      'log file': `${this.#folder}/$name.log`,
      'pid file': '',
      'mon data': `${this.#folder}/mon`,
      'osd data': `${this.#folder}/osd`,
      'osd objectstore': 'memstore',
      'osd crush chooseleaf type': 0,
      'osd pool default size': 1,
      'osd pool default min size': 1,
      'osd pool default pg num': 1,
      'osd pool default pgp num': 1,
      'osd pool default pg autoscale mode': 'off',
      'mon allow pool size one': true,
      'mon max pg per osd': 1000,
      // The creation of a pool waits for the next proposal of the monitor. The default wait is one
      // second.
      'paxos propose interval': 0.05,
      'paxos min wait': 0.01,
      'rgw frontends': `beast endpoint=${this.service.endpoint.slice('http://'.length)}`,
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
    return ['[global]', ...lines, ''].join('\n')
  }

  async #run(program: string, ...args: readonly string[]): Promise<void> {
    await run(program, ['-c', join(this.#folder, 'ceph.conf'), ...args], { timeout: 60_000 })
  }

  /**
   * Starts a daemon that always ends together with this process. A shell starts the daemon and
   * waits until the input of the shell closes. The shell then kills the daemon.
   */
  #daemon(program: string, ...args: readonly string[]): void {
    const script = '"$@" <&- & cat >/dev/null; kill -9 $!; wait'
    const command = [program, '-c', join(this.#folder, 'ceph.conf'), ...args]
    const output = openSync(join(this.#folder, `${program}.out`), 'a')
    this.#daemons.push(
      spawn('sh', ['-c', script, 'sh', ...command], { stdio: ['pipe', output, output] }),
    )
  }

  async #answers(endpoint: string): Promise<void> {
    for (const end = Date.now() + 60_000; ; await delay(100)) {
      const isUp = await fetch(endpoint).then(
        (response) => response.arrayBuffer().then(() => true),
        () => false,
      )
      if (isUp) return
      if (Date.now() > end) throw new Error(`Nothing answers at ${endpoint}`)
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port')
  return address.port
}
