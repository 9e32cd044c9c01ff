import { rows, type Sql } from './statement.js';

/** Who acts: a bearer token of the API (`id` is that of the token), somebody at the command line, or the service itself. */
export interface Actor {
  kind: 'token' | 'cli' | 'system';
  id?: string;
  /** The `X-Request-Id` of the request that asked for it. */
  requestId?: string;
}

/** An account, and who does something to what it has. */
export interface Acting {
  accountId: number;
  actor: Actor;
}

/** What is done without anybody's asking. */
export const THE_SERVICE: Actor = { kind: 'system' };

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
  text: `INSERT INTO audit_events (account_id, actor_kind, actor_id, request_id, action, subject_kind, subject_id, details)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
};

/** Notes an administrative act, in the transaction that does it: neither is there without the other. */
export async function writeAudit(tx: Sql, { accountId, actor, action, subject, details }: AuditEvent): Promise<void> {
  await rows(tx, WRITE, [
    accountId,
    ...actorValues(actor),
    action,
    subject?.kind ?? null,
    subject === undefined ? null : String(subject.id),
    JSON.stringify(details ?? {}),
  ]);
}

/** Notes what was done to something that an agent has, a `tool` for example, in the transaction that does it. */
export const agentNotes =
  (kind: string) =>
  (
    tx: Sql,
    { accountId, actor, agentId }: Acting & { agentId: number },
    { action, id, details }: { action: AuditAction; id: number; details?: Record<string, unknown> },
  ): Promise<void> =>
    writeAudit(tx, { accountId, actor, action, subject: { kind, id }, details: { agent_id: agentId, ...details } });

/** For the three parameters of an auditCte. */
export const actorValues = ({ kind, id, requestId }: Actor): [string, string | null, string | null] => [
  kind,
  id ?? null,
  requestId ?? null,
];

/**
 * The same as part of a statement that does the act: a CTE `noted`, one event for each row of `from`, which has `account_id`
 * and the subject's `id`. `actor`: the number of the first of three parameters, see actorValues. `details`: SQL for jsonb.
 */
export const auditCte = (of: {
  from: string;
  action: AuditAction;
  subject: string;
  actor: number;
  details?: string;
}): string => `
  noted AS (
    INSERT INTO audit_events (account_id, actor_kind, actor_id, request_id, action, subject_kind, subject_id, details)
    SELECT account_id, $${of.actor}::text, $${of.actor + 1}::text, $${of.actor + 2}::text, '${of.action}', '${of.subject}', id::text,
      ${of.details ?? `'{}'::jsonb`} FROM ${of.from})`;
