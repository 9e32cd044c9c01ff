import { AgentsModule } from '@app/agents';
import { SimulationsModule } from '../simulations.module.js';
import { AuditModule } from '@app/audit';
import { CallsModule } from '@app/calls';
import { WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CallScenariosService } from './call-scenarios.service.js';
import { ScenarioRunsRepository } from './scenario-runs.repository.js';
import { ScenarioRunsService } from './scenario-runs.service.js';
import { TestRunAnnouncementsService } from './test-run-announcements.service.js';
import { TestConversationEntity, TestRunEntity, TestScheduleEntity } from './test-run.entity.js';
import { TestRunWorkerService } from './test-run-worker.service.js';
import { TestSchedulesRepository } from './test-schedules.repository.js';
import { TestSchedulesService } from './test-schedules.service.js';

/** Runs of the scenarios of agents, and their schedules. Nothing runs by itself: jobs of a worker ask TestRunWorkerService. */
@Module({
  imports: [
    AgentsModule,
    AuditModule,
    CallsModule,
    SimulationsModule,
    WebhooksModule,
    TypeOrmModule.forFeature([TestRunEntity, TestConversationEntity, TestScheduleEntity]),
  ],
  providers: [
    CallScenariosService,
    ScenarioRunsRepository,
    ScenarioRunsService,
    TestRunAnnouncementsService,
    TestRunWorkerService,
    TestSchedulesRepository,
    TestSchedulesService,
  ],
  exports: [CallScenariosService, ScenarioRunsService, TestRunWorkerService, TestSchedulesService],
})
export class TestRunsModule {}
