/** The tables of this component, with their prefix. */
export interface DeviceTables {
  /** One row per user who ever signed in: the lock that makes changes to one user's devices wait for each other. */
  readonly owner: string
  /** One row per living device. */
  readonly device: string
  /** One row per revoked device, as long as its credential can come back. */
  readonly revoked: string
  /**
   * Facts that wait for delivery, one row for each destination (the receivers, a webhook), which is tried by itself;
   * used when the outbox is on.
   */
  readonly outbox: string
  /** One row per event of which users get a mail, if the option `alerts` is given. */
  readonly alert: string
}

/** Names the tables. @param prefix for example `quillgate_` */
export function deviceTables(prefix: string): DeviceTables {
  return {
    owner: `${prefix}device_owner`,
    device: `${prefix}device`,
    revoked: `${prefix}device_revoked`,
    outbox: `${prefix}device_outbox`,
    alert: `${prefix}device_alert`,
  }
}
