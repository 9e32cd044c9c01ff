import { rows, type Sql } from './sql.js';

/** Who acts: a bearer token of the API (`id` is that of the token), somebody at the command line, or the service itself. */
export interface Actor {
  kind: 'token' | 'cli' | 'system';
  id?: string;
  /** The `X-Request-Id` of the request that asked for it. */
  requestId?: string;
}

/** What was done to what. `details` hold names, ids and settings; never secrets, phone numbers or texts of people. */
export interface AuditEvent {
  /** null: the installation's, not one account's. */
  accountId: number | null;
  actor: Actor;
  /** `tool.created`, `webhook_endpoint.disabled`: what it was done to, and what was done. */
  action: AuditAction;
  subject?: { kind: string; id: string | number };
  details?: Record<string, unknown>;
}

/** `thing.past_tense` in lower case. */
export type AuditAction = `${string}.${string}`;

const WRITE = {
  name: 'write-audit',
  text: `INSERT INTO audit_events (account_id, actor_kind, actor_id, action, subject_kind, subject_id, details, request_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

/** Notes an administrative act, in the transaction that does it: neither is there without the other. */
export async function writeAudit(tx: Sql, { accountId, actor, action, subject, details }: AuditEvent): Promise<void> {
  await rows(tx, WRITE, [
    accountId,
    actor.kind,
    actor.id ?? null,
    action,
    subject?.kind ?? null,
    subject === undefined ? null : String(subject.id),
    JSON.stringify(details ?? {}),
    actor.requestId ?? null,
  ]);
}
