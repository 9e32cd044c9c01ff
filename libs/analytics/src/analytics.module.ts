import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  AnalyticsCallEntity,
  AnalyticsPeakEntity,
  AnalyticsRollupEntity,
  AnalyticsRubricEntity,
  AnalyticsZoneEntity,
  CallSearchEntity,
} from './analytics.entity.js';
import { AnalyticsCountingService } from './analytics-counting.service.js';
import { AnalyticsDaysRepository } from './analytics-days.repository.js';
import { AnalyticsRebuildService } from './analytics-rebuild.service.js';
import { AnalyticsRepository } from './analytics.repository.js';
import { AnalyticsService } from './analytics.service.js';
import { AnalyticsUpkeepService } from './analytics-upkeep.service.js';
import { CallSearchRepository } from './call-search.repository.js';
import { RollupsRepository } from './rollups.repository.js';
import { RubricAnalyticsService } from './rubric-analytics.service.js';
import { RubricRollupsRepository } from './rubric-rollups.repository.js';
import { TranscriptSearchService } from './transcript-search.service.js';

const ENTITIES = [
  AnalyticsCallEntity,
  AnalyticsPeakEntity,
  AnalyticsRollupEntity,
  AnalyticsRubricEntity,
  AnalyticsZoneEntity,
  CallSearchEntity,
];

/** Counts of ended calls. */
@Module({
  imports: [TypeOrmModule.forFeature(ENTITIES)],
  providers: [
    AnalyticsCountingService,
    AnalyticsDaysRepository,
    AnalyticsRebuildService,
    AnalyticsRepository,
    AnalyticsService,
    AnalyticsUpkeepService,
    CallSearchRepository,
    RollupsRepository,
    RubricAnalyticsService,
    RubricRollupsRepository,
    TranscriptSearchService,
  ],
  exports: [
    AnalyticsCountingService,
    AnalyticsRebuildService,
    AnalyticsService,
    AnalyticsUpkeepService,
    RubricAnalyticsService,
    TranscriptSearchService,
  ],
})
export class AnalyticsModule {}
