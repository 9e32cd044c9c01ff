import { Encryption } from '@app/common';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SECRET_CONTEXT, WebhookSecretsRepository } from './webhook-secrets.repository.js';

const FRESH_MS = 5_000;
const MAX_ACCOUNTS = 1_000;

/** The secrets that requests are signed with, cached: a rotation takes effect within 5 s. */
@Injectable()
export class SigningSecrets {
  private readonly cache = new LRUCache<number, { secrets: string[]; until: number }>({ max: MAX_ACCOUNTS });

  constructor(
    private readonly repository: WebhookSecretsRepository,
    private readonly encryption: Encryption,
  ) {}

  /** Newest first; empty: the account has none. */
  async of(accountId: number): Promise<string[]> {
    const cached = this.cache.get(accountId);
    if (cached && cached.until > performance.now()) return cached.secrets;
    const found = await this.repository.current(accountId);
    const secrets = found.map((sealed) => this.encryption.decrypt(sealed, SECRET_CONTEXT));
    this.cache.set(accountId, { secrets, until: performance.now() + FRESH_MS });
    return secrets;
  }
}
