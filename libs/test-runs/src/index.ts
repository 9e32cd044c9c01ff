export { CallScenarios } from './call-scenarios.service.js';
export { CHANNELS, NOTIFICATIONS, RUN_STATUSES, type RunStatus } from './domain/test-plan.js';
export { runRequest, scheduleRequest } from './domain/test-requests.js';
export type { TestRunSummaryView, TestRunView, TestScheduleView } from './presenters/test-run.presenter.js';
export { ScenarioRunsService } from './scenario-runs.service.js';
export { TestRunWorker } from './test-run-worker.service.js';
export { TestRunsModule } from './test-runs.module.js';
export { TestSchedulesService } from './test-schedules.service.js';
