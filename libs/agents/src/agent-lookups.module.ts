import { Module } from '@nestjs/common';
import { AgentLookupsRepository } from './agent-lookups.repository.js';
import { AgentLookupsService } from './agent-lookups.service.js';

/** Reads agents for features that name them, without what administers them. */
@Module({
  providers: [AgentLookupsRepository, AgentLookupsService],
  exports: [AgentLookupsService],
})
export class AgentLookupsModule {}
