export { type AgentToolRuntime, agentTool, type OnToolRun, toolRunData } from './agent-tool.js';
export { AgentsModule } from './agents.module.js';
export { knowledgeTool, type SearchKnowledge } from './knowledge-tool.js';
export { PRICE_BOOK, readPriceBook } from './price-book.js';
export { conversationSettings, providerChain, systemPrompt } from './session-settings.js';
export { NoTextMode, type SimulationParts } from './simulation/load-agent.js';
export { openSimulations } from './simulation/open-simulations.js';
export { type ChargedSimulation, runSimulation, SpendLimitReached } from './simulation/run-simulation.js';
export {
  readScenario,
  type Scenario,
  ScenarioInvalid,
  scenarioJsonSchema,
  TOOL_MODES,
  type ToolMode,
} from './simulation/scenario.js';
export { type NamedScenario, readScenarioFile } from './simulation/scenario-file.js';
export { type SimulatedAgent, simulate, type SimulationResult } from './simulation/simulation.js';
export { type ModelSummary, SummaryModel } from './summary-model.service.js';
