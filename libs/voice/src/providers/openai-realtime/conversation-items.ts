import type { ConversationItem } from 'openai/resources/realtime/realtime';
import type { HistoryTurn } from '../voice-provider.js';

/** Of a conversation that another connection began; older turns say little, and the server reads all of them at once. */
const MAX_HISTORY = 200;

export const calleeMessage = (text: string): ConversationItem => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});

export const systemMessage = (text: string): ConversationItem => ({
  type: 'message',
  role: 'system',
  content: [{ type: 'input_text', text }],
});

const agentMessage = (text: string): ConversationItem => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});

export const toolOutput = (callId: string, output: string): ConversationItem => ({
  type: 'function_call_output',
  call_id: callId,
  output,
});

const MESSAGES = { agent: agentMessage, callee: calleeMessage, system: systemMessage };

/** What was heard so far, as text: audio of an earlier connection cannot be given to a new one. */
export const historyItems = (history: readonly HistoryTurn[]): ConversationItem[] =>
  history
    .filter(({ text }) => text !== '')
    .slice(-MAX_HISTORY)
    .map(({ role, text }) => MESSAGES[role](text));
