import type { Readable } from 'node:stream'

/** The methods of flydrive's `Disk` that {@link flydrive} uses. */
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

/** The metadata of a file on a disk. */
export interface FlydriveMetaData {
  readonly contentLength: number
  readonly lastModified: Date
}

/** Options for writing a file. */
export interface FlydriveWriteOptions {
  contentType?: string
  contentLength?: number
}

/** Options of a signed URL. */
export interface FlydriveUrlOptions {
  /** In seconds. */
  expiresIn?: number
  contentType?: string
  contentDisposition?: string
}

/** A page of a folder's listing. */
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
