export { agentTool, toolRunData, type OnToolRun } from './agent-tool.js';
export { AgentsModule } from './agents.module.js';
export { conversationSettings, providerChain, systemPrompt } from './session-settings.js';
export { knowledgeTool, type SearchKnowledge } from './knowledge-tool.js';
export { PRICE_BOOK } from './price-book.js';
export { NoTextMode, type SimulationParts } from './simulated-agent.js';
export { type ChargedSimulation, openSimulations, runSimulation, SpendLimitReached } from './simulations.js';
export { SummaryModel, type ModelSummary } from './summary-model.service.js';
