export { CLEAN_LINE, type LineProfile, NOISE_NAMES, type NoiseName } from './line-profile.js';
export type { Expectation, Moment, WantedCall, WantedEnd } from './scenario-parts.js';
export {
  type Channel,
  type MockedAnswer,
  type NamedScenario,
  readScenario,
  readScenarioFile,
  readScenarios,
  type Scenario,
  ScenarioInvalid,
  scenarioJsonSchema,
  type ScenarioStep,
  TOOL_MODES,
  type ToolMode,
} from './scenario.js';
export type {
  AudioLimits,
  JudgeSettings,
  ModelPersonaSettings,
  RubricQuestion,
  ScriptedPersonaSettings,
} from './tester-schema.js';
