export { AgentPublicationService } from './agent-publication.service.js';
export {
  explaining,
  failuresOf,
  type RepeatedSimulation,
  RepeatedSimulationsService,
} from './repeated-simulations.service.js';
export { RequiredScenariosService } from './required-scenarios.service.js';
export { simulate } from './scenario/simulation.js';
export type { TestCallFacts } from './scenario/tester-line.js';
export type { SimulatedAgent } from './scenario/simulated-agent.js';
export { NoTextMode } from './simulated-agents.service.js';
export { SimulationsModule } from './simulations.module.js';
export {
  ChannelUnavailable,
  type ChargedSimulation,
  SpendLimitReached,
  type TestedAgent,
} from './simulations.service.js';
export { TestCallsModule } from './test-calls/test-calls.module.js';
export { CallScenariosService } from './test-runs/call-scenarios.service.js';
export { CHANNELS, NOTIFICATIONS, RUN_STATUSES, type RunStatus } from './test-runs/domain/test-plan.js';
export { runRequest, scheduleRequest } from './test-runs/domain/test-requests.js';
export type { TestRunSummaryView, TestRunView, TestScheduleView } from './test-runs/presenters/test-run.presenter.js';
export { ScenarioRunsService } from './test-runs/scenario-runs.service.js';
export { TestRunWorkerService } from './test-runs/test-run-worker.service.js';
export { TestRunsModule } from './test-runs/test-runs.module.js';
export { TestSchedulesService } from './test-runs/test-schedules.service.js';
export { TextModeProvidersService } from './text-mode-providers.service.js';
