import { Module } from '@nestjs/common';
import { AuditEventsController } from './audit-events.controller.js';

@Module({ controllers: [AuditEventsController] })
export class AuditModule {}
