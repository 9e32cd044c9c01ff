import { Module } from '@nestjs/common';
import { CallFactsRepository } from './call-facts.repository.js';
import { CallFactsService } from './call-facts.service.js';
import { GuardrailHitsRepository } from './guardrail-hits.repository.js';

/** What analytics reads of calls, without what runs them. */
@Module({
  providers: [CallFactsRepository, CallFactsService, GuardrailHitsRepository],
  exports: [CallFactsService, GuardrailHitsRepository],
})
export class CallFactsModule {}
