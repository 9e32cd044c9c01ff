import { agentNotes } from '@app/db';

export const noteTool = agentNotes('tool');
