import { isoTime } from '@app/common';
import type { AuditEventEntity } from '../audit-event.entity.js';
import type { Actor } from '../domain/audit-event.js';

/** An audit event as the API and the command line show it. */
export interface AuditEventView {
  id: number;
  at: string;
  account_id: number | null;
  actor: { kind: Actor['kind']; id: string | null };
  action: string;
  subject: { kind: string; id: string } | null;
  details: Record<string, unknown>;
  request_id: string | null;
}

export const auditEventView = (event: AuditEventEntity): AuditEventView => ({
  id: Number(event.id),
  at: isoTime(event.at),
  account_id: event.accountId,
  actor: { kind: event.actorKind, id: event.actorId },
  action: event.action,
  subject: event.subjectKind === null ? null : { kind: event.subjectKind, id: event.subjectId ?? '' },
  details: event.details,
  request_id: event.requestId,
});
