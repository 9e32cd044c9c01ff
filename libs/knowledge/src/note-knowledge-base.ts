import { agentNotes } from '@app/database';

export const noteKnowledgeBase = agentNotes('knowledge_base');
