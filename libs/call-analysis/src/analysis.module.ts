import { AccountLookupsModule, AccountsModule } from '@app/accounts';
import { AgentLookupsModule, AgentsModule } from '@app/agents';
import { CallFactsModule, CallsModule, DailySpendModule, PriceBookModule } from '@app/calls';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AnalysedCallsService } from './analysed-calls.service.js';
import { AnalysisJobService } from './analysis-job.service.js';
import { AnalysisRunnerService } from './analysis-runner.service.js';
import { AnalysisBatchEntity } from './call-analysis.entity.js';
import { CallAnalysesRepository } from './call-analyses.repository.js';
import { CallAnalysesService } from './call-analyses.service.js';
import { CallAnalystService } from './call-analyst.service.js';

/** The analyses of calls, for processes that read and request them. */
@Module({
  imports: [AccountLookupsModule, AgentLookupsModule, CallFactsModule, TypeOrmModule.forFeature([AnalysisBatchEntity])],
  providers: [CallAnalysesRepository, CallAnalysesService],
  exports: [CallAnalysesRepository, CallAnalysesService],
})
export class AnalysisModule {}

/** Runs queued analyses, in workers. */
@Module({
  imports: [AnalysisModule, AccountsModule, AgentsModule, CallsModule, DailySpendModule, PriceBookModule],
  providers: [AnalysedCallsService, AnalysisJobService, AnalysisRunnerService, CallAnalystService],
  exports: [AnalysisModule, AnalysisRunnerService],
})
export class AnalysisRunnerModule {}
