export const ACTOR_KINDS = ['token', 'person', 'cli', 'system'] as const;

/**
 * Who acts: a bearer token of the API (`id` is the token's id), a person who signed in (the id in `people`), a user of the command
 * line, or the service itself.
 */
export interface Actor {
  kind: (typeof ACTOR_KINDS)[number];
  id?: string;
  /** The `X-Request-Id` of the request. */
  requestId?: string;
}

/** An account, and the actor of a change to its records. */
export interface Acting {
  accountId: number;
  actor: Actor;
}

/** The actor of scheduled work. */
export const THE_SERVICE: Actor = { kind: 'system' };

/** `thing.past_tense` in lower case. */
export type AuditAction = `${string}.${string}`;

/** `details` contain names, ids and settings; never secrets, phone numbers or spoken words. */
export interface AuditEvent {
  /** null: an event of the installation. */
  accountId: number | null;
  actor: Actor;
  /** `tool.created`, `webhook_endpoint.disabled`. */
  action: AuditAction;
  subject?: { kind: string; id: string | number };
  details?: Record<string, unknown>;
}

/** The filters of a list of audit events. */
export interface AuditFilter {
  /** Absent: the events of all accounts and of the installation, for its operator. */
  accountId?: number;
  action?: string;
  /** `ids`: any of them. */
  actor?: { kind: string; id?: string; ids?: readonly string[] };
  subject?: { kind: string; id?: string };
  from?: Date;
  to?: Date;
}
