import { type Acting, AuditService } from '@app/audit';
import { Conflict, Encryption, NotFound } from '@app/common';
import { Database, type EntityTransaction, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { newWebhookSecret } from '../domain/webhook-headers.js';
import { SECRET_CONTEXT, WebhookSecretsRepository } from './webhook-secrets.repository.js';

/** Receivers have this time to learn the new secret. */
export const DEFAULT_OVERLAP_HOURS = 24;
export const MAX_OVERLAP_HOURS = 7 * 24;

export interface RotatedSecret {
  id: number;
  /** `whsec_…`: shown only once. */
  secret: string;
  created_at: Date;
  /** Until then webhooks carry a second signature with the previous secret; null when there was none. */
  previous_expires_at: Date | null;
}

/** A signing secret without the secret itself. */
interface WebhookSecretHint {
  id: number;
  /** Its last four characters. */
  hint: string;
  created_at: Date;
  /** Of the older of two during a rotation; null: it signs until it is rotated. */
  expires_at: Date | null;
}

/** The secrets that sign an account's webhooks. Dispatchers notice a change within 5 s (see SigningSecretsService). */
@Injectable()
export class WebhookSecretsService {
  constructor(
    private readonly database: Database,
    private readonly secrets: WebhookSecretsRepository,
    private readonly encryption: Encryption,
    private readonly audit: AuditService,
  ) {}

  /** The live secrets, newest first. Throws when they were encrypted with another SECRET_KEY. */
  async list(accountId: number): Promise<WebhookSecretHint[]> {
    const live = await this.secrets.live(accountId);
    return live.map(({ id, secretSealed, createdAt, expiresAt }) => {
      const hint = `whsec_…${this.encryption.decrypt(secretSealed, SECRET_CONTEXT).slice(-4)}`;
      return { id, created_at: createdAt, expires_at: expiresAt, hint };
    });
  }

  /** The live secrets themselves, newest first: two during a rotation. Throws when they were encrypted with another SECRET_KEY. */
  async current(accountId: number, tx?: Sql): Promise<string[]> {
    const found = await this.secrets.signing(accountId, tx);
    return found.map((sealed) => this.encryption.decrypt(sealed, SECRET_CONTEXT));
  }

  /** The first secret of a new account, in the transaction that creates the account: no webhook is ever sent unsigned. */
  async create({ accountId, actor }: Acting, tx: EntityTransaction): Promise<void> {
    const { id } = await this.secrets.add(accountId, this.encryption.encrypt(newWebhookSecret(), SECRET_CONTEXT), tx);
    const subject = { kind: 'webhook_secret', id };
    await this.audit.record({ accountId, actor, action: 'webhook_secret.created', subject }, tx);
  }

  /**
   * A new secret, which signs beside the newest existing one for `overlapHours`; an older live secret ends now, so that there are never
   * more than two.
   */
  rotate({ accountId, actor }: Acting, overlapHours = DEFAULT_OVERLAP_HOURS): Promise<RotatedSecret> {
    return this.database.entityTransaction(async (tx) => {
      await this.secrets.lock(accountId, tx);
      const [newest, ...older] = await this.secrets.live(accountId, tx);
      await this.secrets.endNow(older, tx);
      const previousEndsAt = newest ? await this.secrets.endAfter(newest.id, overlapHours, tx) : null;
      const secret = newWebhookSecret();
      const { id, createdAt } = await this.secrets.add(accountId, this.encryption.encrypt(secret, SECRET_CONTEXT), tx);
      const subject = { kind: 'webhook_secret', id };
      await this.audit.record({ accountId, actor, action: 'webhook_secret.rotated', subject }, tx);
      return { id, secret, created_at: createdAt, previous_expires_at: previousEndsAt };
    });
  }

  /**
   * Ends the older secret of a rotation early.
   * @throws NotFound when the account has no such live secret, Conflict when it is the newest: webhooks could not be signed.
   */
  expire({ accountId, actor }: Acting, id: number): Promise<void> {
    return this.database.entityTransaction(async (tx) => {
      const [newest, ...older] = await this.secrets.live(accountId, tx);
      if (newest?.id === id) throw new Conflict('The newest secret signs all webhooks. Rotate it first.');
      if (!older.some((secret) => secret.id === id)) throw new NotFound('Webhook secret');
      await this.secrets.endNow([{ id }], tx);
      const subject = { kind: 'webhook_secret', id };
      await this.audit.record({ accountId, actor, action: 'webhook_secret.expired', subject }, tx);
    });
  }
}

const FRESH_MS = 5_000;
const MAX_ACCOUNTS = 1_000;

/** The secrets that requests are signed with, cached: a rotation takes effect within 5 s. */
@Injectable()
export class SigningSecretsService {
  private readonly cache = new LRUCache<number, { secrets: string[]; until: number }>({ max: MAX_ACCOUNTS });

  constructor(
    private readonly repository: WebhookSecretsRepository,
    private readonly encryption: Encryption,
  ) {}

  /** Newest first; empty: the account has none. */
  async of(accountId: number): Promise<string[]> {
    const cached = this.cache.get(accountId);
    if (cached && cached.until > performance.now()) return cached.secrets;
    const found = await this.repository.signing(accountId);
    const secrets = found.map((sealed) => this.encryption.decrypt(sealed, SECRET_CONTEXT));
    this.cache.set(accountId, { secrets, until: performance.now() + FRESH_MS });
    return secrets;
  }
}
