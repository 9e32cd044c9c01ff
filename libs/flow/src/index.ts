export { type FlowProblem, flowProblems, type FlowReferences } from './check-flow.js';
export { CompiledFlow, valueSchemas } from './compiled-flow.js';
export { Expression, UnusableExpression } from './expression.js';
export { type Continued, type ContinueTool, FlowRun, type RunBefore, type StepChange } from './flow-run.js';
export { quotedValue, VALUE_LIMITS, valuesBlock } from './flow-values.js';
export {
  type AgentHandoff,
  type CollectedValue,
  CONTINUE_FLOW,
  type EnteredBy,
  type Flow,
  type FlowAction,
  type FlowExit,
  type FlowHandoff,
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
