import type { Readable } from 'node:stream'

/** What {@link flydrive} uses of a `Disk` of the package flydrive. */
export interface FlydriveDisk {
  exists(key: string): Promise<boolean>
  getStream(key: string): Promise<Readable>
  getMetaData(key: string): Promise<FlydriveMetaData>
  put(key: string, contents: Uint8Array, options?: FlydriveWriteOptions): Promise<void>
  putStream(key: string, contents: Readable, options?: FlydriveWriteOptions): Promise<void>
  copy(source: string, destination: string): Promise<void>
  delete(key: string): Promise<void>
  getSignedUrl(key: string, options?: FlydriveUrlOptions): Promise<string>
  listAll(
    prefix?: string,
    options?: { recursive?: boolean; paginationToken?: string },
  ): Promise<FlydriveListing>
}

/** Facts about a file of a disk. */
export interface FlydriveMetaData {
  readonly contentLength: number
  readonly lastModified: Date
}

/** What a disk may be told about a file. */
export interface FlydriveWriteOptions {
  contentType?: string
  contentLength?: number
}

/** What a disk is told about a URL. */
export interface FlydriveUrlOptions {
  /** Seconds. */
  expiresIn?: number
  contentType?: string
  contentDisposition?: string
}

/** A page of a folder. */
export interface FlydriveListing {
  readonly paginationToken?: string
  readonly objects: Iterable<FlydriveFile | FlydriveFolder>
}

/** A file in a listing. */
export interface FlydriveFile {
  readonly isFile: true
  readonly key: string
  getMetaData(): Promise<FlydriveMetaData>
}

/** A folder in a listing. */
export interface FlydriveFolder {
  readonly isFile: false
  readonly prefix: string
}
