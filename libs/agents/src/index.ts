export { agentTool, ranData, type AgentToolParts, type ToolRan } from './agent-tool.js';
export { briefed } from './briefing.js';
export { conversationSettings } from './conversation-settings.js';
export { knowledgeTool, type KnowledgeAnswer, type KnowledgePassage, type SearchKnowledge } from './knowledge-tool.js';
export { readPriceBook } from './price-book-file.js';
export { NoTextMode, type SimulationParts } from './simulated-agent.js';
export { type ChargedSimulation, openSimulations, runSimulation, SpendLimitReached } from './simulations.js';
export { SummaryModel, type ModelSummary } from './summary-model.js';
export { wantedProviders } from './wanted-providers.js';
