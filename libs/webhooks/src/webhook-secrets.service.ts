import { type Acting, writeAudit } from '@app/audit';
import { Conflict, Encryption, NotFound } from '@app/common';
import { Database, type Sql } from '@app/database';
import { Injectable } from '@nestjs/common';
import { newWebhookSecret } from './domain/sign.js';
import { addSecret, SECRET_CONTEXT, WebhookSecretsRepository } from './webhook-secrets.repository.js';

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

/** Every account has a secret from the start, so that no webhook is ever sent unsigned. */
export async function createWebhookSecret(
  tx: Sql,
  encryption: Encryption,
  { accountId, actor }: Acting,
): Promise<void> {
  const { id } = await addSecret(tx, accountId, encryption.encrypt(newWebhookSecret(), SECRET_CONTEXT));
  const subject = { kind: 'webhook_secret', id };
  await writeAudit(tx, { accountId, actor, action: 'webhook_secret.created', subject });
}

/** The secrets that sign an account's webhooks. Dispatchers notice a change within 5 s (see SigningSecrets). */
@Injectable()
export class WebhookSecretsService {
  constructor(
    private readonly database: Database,
    private readonly secrets: WebhookSecretsRepository,
    private readonly encryption: Encryption,
  ) {}

  /** The live secrets, newest first. Throws when they were encrypted with another SECRET_KEY. */
  async list(accountId: number): Promise<WebhookSecretHint[]> {
    const live = await this.secrets.live(accountId);
    return live.map(({ id, secret_sealed: sealed, created_at, expires_at }) => {
      const hint = `whsec_…${this.encryption.decrypt(sealed, SECRET_CONTEXT).slice(-4)}`;
      return { id, created_at, expires_at, hint };
    });
  }

  /** The first secret of a new account, in the transaction that creates the account. */
  create(acting: Acting, tx: Sql): Promise<void> {
    return createWebhookSecret(tx, this.encryption, acting);
  }

  /**
   * A new secret, which signs beside the newest existing one for `overlapHours`; an older live secret ends now, so that there are never
   * more than two.
   */
  rotate({ accountId, actor }: Acting, overlapHours = DEFAULT_OVERLAP_HOURS): Promise<RotatedSecret> {
    return this.database.transaction(async (tx) => {
      await this.secrets.lockAccount(accountId, tx);
      const ended = await this.secrets.endOlder(accountId, overlapHours, tx);
      const secret = newWebhookSecret();
      const added = await addSecret(tx, accountId, this.encryption.encrypt(secret, SECRET_CONTEXT));
      const subject = { kind: 'webhook_secret', id: added.id };
      await writeAudit(tx, { accountId, actor, action: 'webhook_secret.rotated', subject });
      const previous = ended.find(({ newest }) => newest);
      return { ...added, secret, previous_expires_at: previous?.expires_at ?? null };
    });
  }

  /**
   * Ends the older secret of a rotation early.
   * @throws NotFound when the account has no such live secret, Conflict when it is the newest: webhooks could not be signed.
   */
  expire({ accountId, actor }: Acting, id: number): Promise<void> {
    return this.database.transaction(async (tx) => {
      const { live, expired } = await this.secrets.expire(accountId, id, tx);
      if (!live) throw new NotFound('Webhook secret');
      if (!expired) throw new Conflict('The newest secret signs all webhooks. Rotate it first.');
      const subject = { kind: 'webhook_secret', id };
      await writeAudit(tx, { accountId, actor, action: 'webhook_secret.expired', subject });
    });
  }
}
