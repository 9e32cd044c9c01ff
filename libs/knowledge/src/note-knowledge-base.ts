import { agentNotes } from '@app/db';

export const noteKnowledgeBase = agentNotes('knowledge_base');
