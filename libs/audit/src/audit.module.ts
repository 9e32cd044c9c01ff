import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditEventEntity } from './audit-event.entity.js';
import { AuditRepository } from './audit.repository.js';
import { AuditService } from './audit.service.js';
import { PeopleRepository } from './people.repository.js';
import { PersonEntity } from './person.entity.js';

@Module({
  imports: [TypeOrmModule.forFeature([AuditEventEntity, PersonEntity])],
  providers: [AuditRepository, AuditService, PeopleRepository],
  exports: [AuditService, PeopleRepository],
})
export class AuditModule {}
