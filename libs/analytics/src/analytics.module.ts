import { AccountLookupsModule } from '@app/accounts';
import { AgentLookupsModule } from '@app/agents';
import { AnalysisModule } from '@app/call-analysis';
import { CallFactsModule } from '@app/calls';
import { CampaignLookupsModule } from '@app/campaigns';
import { Module } from '@nestjs/common';
import { AnalyticsBlocksRepository } from './analytics-blocks.repository.js';
import { AnalyticsBlocksService } from './analytics-blocks.service.js';
import { AnalyticsCountingService } from './analytics-counting.service.js';
import { AnalyticsDaysRepository } from './analytics-days.repository.js';
import { AnalyticsHoursRepository } from './analytics-hours.repository.js';
import { AnalyticsRebuildService } from './analytics-rebuild.service.js';
import { AnalyticsRepository } from './analytics.repository.js';
import { AnalyticsService } from './analytics.service.js';
import { AnalyticsTotalsService } from './analytics-totals.service.js';
import { AnalyticsUpkeepService } from './analytics-upkeep.service.js';
import { CallSearchRepository } from './call-search.repository.js';
import { FactsRepository } from './facts.repository.js';
import { GuardrailAnalyticsService } from './guardrail-analytics.service.js';
import { LabelsService } from './labels.service.js';
import { RollupReaderService } from './rollup-reader.service.js';
import { RubricAnalyticsService } from './rubric-analytics.service.js';
import { RubricRollupsRepository } from './rubric-rollups.repository.js';
import { TranscriptSearchService } from './transcript-search.service.js';

/** Counts of ended calls. */
@Module({
  imports: [AccountLookupsModule, AgentLookupsModule, AnalysisModule, CallFactsModule, CampaignLookupsModule],
  providers: [
    AnalyticsBlocksRepository,
    AnalyticsBlocksService,
    AnalyticsCountingService,
    AnalyticsDaysRepository,
    AnalyticsHoursRepository,
    AnalyticsRebuildService,
    AnalyticsRepository,
    AnalyticsService,
    AnalyticsTotalsService,
    AnalyticsUpkeepService,
    CallSearchRepository,
    FactsRepository,
    GuardrailAnalyticsService,
    LabelsService,
    RollupReaderService,
    RubricAnalyticsService,
    RubricRollupsRepository,
    TranscriptSearchService,
  ],
  exports: [
    AnalyticsCountingService,
    AnalyticsRebuildService,
    AnalyticsService,
    AnalyticsUpkeepService,
    GuardrailAnalyticsService,
    RubricAnalyticsService,
    TranscriptSearchService,
  ],
})
export class AnalyticsModule {}
