import { agentNotes } from '@app/audit';

export const noteKnowledgeBase = agentNotes('knowledge_base');
