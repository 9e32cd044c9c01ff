import { noteForOperator } from '@app/accounts';
import type { Env, Log } from '@app/common';
import type { Request } from 'express';
import type { Pool } from 'pg';

const HOUR_MS = 3_600_000;

/**
 * Notices that a proxy stands before the api which TRUST_PROXY does not name, so that all clients behind it share the limits of one
 * address. Only requests with a valid token count: strangers can send the header as well.
 */
export class ProxyNotice {
  private quietUntil = -Infinity;

  constructor(
    private readonly pool: Pool,
    { TRUST_PROXY }: Pick<Env, 'TRUST_PROXY'>,
    private readonly log: Pick<Log, 'warn'>,
  ) {
    if (TRUST_PROXY !== undefined) this.quietUntil = Infinity;
  }

  /** Once an hour: one line in the log, one row for `trunkline doctor`. */
  look({ headers }: Request): void {
    if (headers['x-forwarded-for'] === undefined || performance.now() < this.quietUntil) return;
    this.quietUntil = performance.now() + HOUR_MS;
    this.log.warn('requests carry X-Forwarded-For, and TRUST_PROXY is not set: all clients count as one address');
    noteForOperator(this.pool, 'untrusted_forwarded_for').catch((err: unknown) =>
      this.log.warn({ err }, 'the missing TRUST_PROXY could not be noted'),
    );
  }
}
