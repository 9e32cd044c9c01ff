import { AuditModule } from '@app/audit';
import { Module } from '@nestjs/common';
import { AuditEventsController } from './audit-events.controller.js';

@Module({ imports: [AuditModule], controllers: [AuditEventsController] })
export class AuditApiModule {}
