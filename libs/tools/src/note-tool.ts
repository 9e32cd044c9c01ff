import { agentNotes } from '@app/audit';

export const noteTool = agentNotes('tool');
