export { SandboxProvider, sandboxProvider } from './provider/sandbox-provider.js';
export { Utterances } from './server/input-audio.js';
export { SandboxServer } from './server/sandbox-server.js';
export { SandboxThread } from './server/sandbox-thread.js';
export { readScript, scriptProblems } from './server/script.js';
export { ScriptedAgent } from './server/scripted-agent.js';
export type { Persona, PersonaAction } from './simulation/persona.js';
export {
  type Channel,
  type NamedScenario,
  readScenario,
  readScenarioFile,
  type Scenario,
  ScenarioInvalid,
  scenarioJsonSchema,
  TOOL_MODES,
  type ToolMode,
} from './simulation/scenario.js';
export { SILENT_SPEECH } from './simulation/silent-line.js';
export { type PlayOptions, playScenario, simulate, type SimulationResult } from './simulation/simulation.js';
export type { TestCallFacts } from './simulation/tester-line.js';
export type { ModelPersonaSettings, RubricQuestion } from './simulation/tester-schema.js';
export type { SimulatedAgent } from './simulation/text-line.js';
export { sandboxLegs } from './vendors/sandbox-legs.js';
export { withWords } from './words/word-signal.js';
