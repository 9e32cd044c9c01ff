import { Database, type EntityTransaction, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Raw, Repository } from 'typeorm';
import { WebhookSecretEntity } from './webhook-secret.entity.js';

/** The context of the encryption of `secret_sealed`. */
export const SECRET_CONTEXT = 'webhook-secret';

/** Secrets expire on the database's clock. */
const LIVE = Raw((column) => `(${column} IS NULL OR ${column} > now())`);

/** Prepared: dispatchers read it for each account that they send to. */
const SIGNING = {
  name: 'signing-webhook-secrets',
  text: `SELECT secret_sealed FROM webhook_secrets
     WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > now()) ORDER BY id DESC`,
};

/** An account has no row that is sure to exist. */
const LOCK = { name: 'lock-webhook-secrets', text: 'SELECT pg_advisory_xact_lock(7216049, $1)' };

/** Of accounts that send webhooks. False once an account was deleted, although a dispatcher has not noticed yet. */
export const signsWebhooks = (accountId: string): string =>
  `EXISTS (SELECT 1 FROM webhook_secrets w WHERE w.account_id = ${accountId})`;

@Injectable()
export class WebhookSecretsRepository {
  constructor(
    private readonly database: Database,
    @InjectRepository(WebhookSecretEntity) private readonly secrets: Repository<WebhookSecretEntity>,
  ) {}

  /** The live secrets as they are stored, newest first. */
  async signing(accountId: number, tx?: Sql): Promise<Buffer[]> {
    const found = await this.database.rows<{ secret_sealed: Buffer }>(SIGNING, [accountId], tx);
    return found.map(({ secret_sealed: sealed }) => sealed);
  }

  /** Newest first. */
  live(accountId: number, tx?: EntityTransaction): Promise<WebhookSecretEntity[]> {
    return this.of(tx).find({ where: { accountId, expiresAt: LIVE }, order: { id: 'DESC' } });
  }

  /** Serialises concurrent rotations of an account. */
  async lock(accountId: number, tx: EntityTransaction): Promise<void> {
    await this.database.rows(LOCK, [accountId], tx);
  }

  async add(accountId: number, secretSealed: Buffer, tx: EntityTransaction): Promise<WebhookSecretEntity> {
    const secrets = this.of(tx);
    const secret = secrets.create({ accountId, secretSealed });
    await secrets.insert(secret);
    return secret;
  }

  /** The secret signs for `hours` more, unless it ends earlier. @returns its end. */
  async endAfter(id: number, hours: number, tx: EntityTransaction): Promise<Date | null> {
    const secrets = this.of(tx).createQueryBuilder().update().where({ id }).setParameter('hours', hours);
    const ended = secrets.set({ expiresAt: () => `least(expires_at, now() + :hours * interval '1 hour')` });
    const { raw } = await ended.returning(['expiresAt']).execute();
    const [row] = raw as { expires_at: Date }[];
    return row?.expires_at ?? null;
  }

  async endNow(secrets: readonly Pick<WebhookSecretEntity, 'id'>[], tx: EntityTransaction): Promise<void> {
    const ids = secrets.map(({ id }) => id);
    if (ids.length > 0) await this.of(tx).update(ids, { expiresAt: () => 'now()' });
  }

  private of(tx?: EntityTransaction): Repository<WebhookSecretEntity> {
    return tx?.manager.getRepository(WebhookSecretEntity) ?? this.secrets;
  }
}
