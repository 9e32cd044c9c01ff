import { OperatorNoticesService } from '@app/accounts';
import type { Env, Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';

const HOUR_MS = 3_600_000;

/**
 * Detects a proxy that TRUST_PROXY does not name: all clients behind it share the limits of one address. Only requests with a valid
 * token count, because any client can send the header.
 */
@Injectable()
export class ProxyNoticeService {
  private quietUntil = -Infinity;

  constructor(
    private readonly notices: OperatorNoticesService,
    @Inject(ENV) { TRUST_PROXY }: Env,
    @Inject(LOG) private readonly log: Log,
  ) {
    if (TRUST_PROXY !== undefined) this.quietUntil = Infinity;
  }

  /** Once an hour: one line in the log, one row for `trunkline doctor`. */
  look({ headers }: Request): void {
    if (headers['x-forwarded-for'] === undefined || performance.now() < this.quietUntil) return;
    this.quietUntil = performance.now() + HOUR_MS;
    this.log.warn('requests carry X-Forwarded-For, and TRUST_PROXY is not set: all clients count as one address');
    this.notices
      .note('untrusted_forwarded_for')
      .catch((err: unknown) => this.log.warn({ err }, 'the missing TRUST_PROXY could not be noted'));
  }
}
