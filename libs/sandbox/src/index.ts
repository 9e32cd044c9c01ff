export { SandboxProvider, sandboxProvider } from './provider/sandbox-provider.js';
export { Utterances } from './server/input-audio.js';
export { SandboxServer } from './server/sandbox-server.js';
export { SandboxThread } from './server/sandbox-thread.js';
export { sandboxLegs } from './vendors/sandbox-legs.js';
export { readScript, scriptProblems } from './server/script.js';
export { ScriptedAgent } from './server/scripted-agent.js';
export {
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
export { simulate, type SimulatedAgent, type SimulationResult } from './simulation/simulation.js';
