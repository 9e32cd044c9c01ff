export { AuditModule } from './audit.module.js';
export { actorValues, agentNotes, auditCte, writeAudit } from './audit.repository.js';
export { AuditService } from './audit.service.js';
export { type Acting, type Actor, type AuditAction, type AuditFilter, THE_SERVICE } from './domain/audit-event.js';
export type { AuditEventView } from './presenters/audit-event.presenter.js';
