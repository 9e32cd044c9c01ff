export { AuditModule } from './audit.module.js';
export { actorValues, auditCte } from './audit.repository.js';
export { type AuditEventView, AuditService } from './audit.service.js';
export {
  type Acting,
  type Actor,
  ACTOR_KINDS,
  type AuditAction,
  type AuditFilter,
  THE_SERVICE,
} from './domain/audit-event.js';
export { PeopleRepository, type PersonIdentity } from './people.repository.js';
