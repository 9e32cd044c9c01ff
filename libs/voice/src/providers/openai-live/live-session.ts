import type { FunctionTool, InitialItem, SessionConfig, ServerEvent } from 'openai/resources/live/live';
import type { Clock } from '../../clock.js';
import { eventReader, type FieldsOf } from '../socket/server-protocol.js';
import type { ConnectRequest, HistoryTurn } from '../voice-provider.js';

export interface LiveProviderOptions {
  name: string;
  /** `wss://…/v1/live/sessions`. The model is named in the session. */
  url: string;
  key?: string;
  model: string;
  /** Calls the tools behind the voice model. */
  backendModel: string;
  voice?: string;
  clock: Clock;
}

/** The server's limit. */
const MAX_HISTORY = 128;

/** The voice model delegates tool calls to a backend model with the same instructions; only the backend has the tools. */
export function liveConfig(request: ConnectRequest, options: LiveProviderOptions): SessionConfig {
  const { agent, codec, tools, history } = request;
  const instructions = agent.instructions ? { instructions: agent.instructions } : {};
  const input = historyItems(history);
  return {
    model: options.model,
    ...instructions,
    audio: {
      format: { type: codec === 'PCMU' ? 'audio/pcmu' : 'audio/pcma', rate: 8000 },
      ...(options.voice ? { output: { voice: options.voice } } : {}),
    },
    ...(input.length > 0 ? { input } : {}),
    delegation: {
      type: 'responses',
      responses: {
        model: options.backendModel,
        ...instructions,
        tools: functionsOf(tools),
      },
    },
  };
}

export const functionsOf = (tools: ConnectRequest['tools']): FunctionTool[] =>
  tools.map(({ name, description, parameters }) => ({ type: 'function', name, description, parameters }));

const historyItems = (history: readonly HistoryTurn[]): InitialItem[] =>
  history
    .filter(({ text }) => text !== '')
    .slice(-MAX_HISTORY)
    .map(({ role, text }) => messageOf(role, text));

function messageOf(role: HistoryTurn['role'], text: string): InitialItem {
  if (role === 'agent') return { role: 'assistant', content: [{ type: 'output_text', text }] };
  return { role: role === 'user' ? 'user' : 'developer', content: [{ type: 'input_text', text }] };
}

/** The required fields of the events that are used. */
const FIELDS: FieldsOf<ServerEvent> = {
  error: { error: 'object' },
  'session.started': { session: 'object' },
  'session.closed': { usage: 'object' },
  'session.output_audio.delta': { delta: 'string' },
  'session.output_transcript.delta': { delta: 'string' },
  'session.input_transcript.delta': { delta: 'string', start_ms: 'number', end_ms: 'number' },
  'session.usage.updated': { usage: 'object' },
  'response.event': {
    event: 'object',
    'event.item.call_id': 'string?',
    'event.item.name': 'string?',
    delegation_id: 'string?',
  },
};

/** Parses a server event, of unknown types as well. Undefined: a violation of the protocol. */
export const readLiveEvent = eventReader<ServerEvent>(FIELDS);
