import { agentNotes } from '@app/database';

export const noteTool = agentNotes('tool');
