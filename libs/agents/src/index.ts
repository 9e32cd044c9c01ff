export { agentTool, ranData, type AgentToolParts, type ToolRan } from './agent-tool.js';
export { briefed } from './briefing.js';
export { conversationSettings } from './conversation-settings.js';
export { knowledgeTool, type KnowledgeAnswer, type KnowledgePassage, type SearchKnowledge } from './knowledge-tool.js';
export { readPriceBook } from './price-book-file.js';
export { NoTextMode, type SimulationParts } from './simulation/load-agent.js';
export { openSimulations, type OpenSimulations } from './simulation/open-simulations.js';
export { type ChargedSimulation, runSimulation, SpendLimitReached } from './simulation/run-simulation.js';
export {
  readScenario,
  scenarioJsonSchema,
  ScenarioInvalid,
  TOOL_MODES,
  type Scenario,
  type ToolMode,
} from './simulation/scenario.js';
export { readScenarioFile, type NamedScenario } from './simulation/scenario-file.js';
export { simulate, type SimulatedAgent, type SimulationResult, type StepResult } from './simulation/simulation.js';
export { SummaryModel, type ModelSummary } from './summary-model.js';
export { wantedProviders } from './wanted-providers.js';
