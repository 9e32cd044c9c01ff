export { flowProblems, type FlowReferences } from './check-flow.js';
export { CompiledFlow, valueSchemas } from './compiled-flow.js';
export { FlowRun, type StepChange } from './flow-run.js';
export { quotedValue, valuesBlock } from './flow-values.js';
export {
  type AgentHandoff,
  type EnteredBy,
  type Flow,
  type FlowStep,
  HANDOFF_CONTEXTS,
  type HandoffContext,
  MAX_CALL_HANDOFFS,
  MAX_EXITS,
  MAX_EXPRESSION,
  MAX_HANDOFFS,
  MAX_STEP_CHANGES,
  MAX_STEPS,
  STEP_NAME,
} from './flow.js';
