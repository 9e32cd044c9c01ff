import { Module } from '@nestjs/common';
import { CallFactsRepository } from './call-facts.repository.js';
import { CallFactsService } from './call-facts.service.js';

/** What analytics reads of calls, without what runs them. */
@Module({ providers: [CallFactsRepository, CallFactsService], exports: [CallFactsService] })
export class CallFactsModule {}
