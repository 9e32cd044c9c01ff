import { TestRunsModule } from '@app/simulation';
import { Module } from '@nestjs/common';
import { CallScenarioController } from './call-scenario.controller.js';
import { TestRunsController } from './test-runs.controller.js';
import { TestSchedulesController } from './test-schedules.controller.js';

@Module({
  imports: [TestRunsModule],
  controllers: [CallScenarioController, TestRunsController, TestSchedulesController],
})
export class TestRunsApiModule {}
