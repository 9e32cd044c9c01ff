export { SandboxProvider, sandboxProvider } from './provider/sandbox-provider.js';
export { Utterances } from './server/input-audio.js';
export { SandboxServer } from './server/sandbox-server.js';
export { SandboxThread } from './server/sandbox-thread.js';
export { sandboxLegs } from './vendors/sandbox-legs.js';
export { readScript, scriptProblems } from './server/script.js';
export { ScriptedAgent } from './server/scripted-agent.js';
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
export type { Persona, PersonaAction } from './simulation/persona.js';
export { seedOf, simulateAudio, type SpeakingAgent } from './tester/audio-line.js';
export { builtInSpeech, callerVoice } from './tester/caller-voice.js';
export { OutsideCall } from './tester/outside-call.js';
export { SipLine } from './tester/sip-line.js';
export type { DialledAgent, TestedCall, TestedCallListener } from './tester/tested-call.js';
export { withWords } from './words/word-signal.js';
export { SILENT_SPEECH } from './simulation/silent-line.js';
export { type PlayOptions, playScenario, simulate, type SimulationResult } from './simulation/simulation.js';
export { type SimulatedAgent } from './simulation/text-line.js';
export type { ModelPersonaSettings, RubricQuestion } from './simulation/tester-schema.js';
export type { TestCallFacts, TesterLine } from './simulation/tester-line.js';
