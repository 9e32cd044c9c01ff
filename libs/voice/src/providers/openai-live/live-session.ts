import type { InitialItem, SessionConfig, ServerEvent } from 'openai/resources/live/live';
import type { ConnectRequest, HistoryTurn } from '../voice-provider.js';
import type { Clock } from '../../clock.js';
import { eventReader, type FieldsOf } from '../socket/read-event.js';

export interface LiveProviderOptions {
  name: string;
  /** `wss://…/v1/live/sessions`. The model is named in the session. */
  url: string;
  key?: string;
  model: string;
  /** Calls the tools, behind the model that speaks. */
  backendModel: string;
  voice?: string;
  clock: Clock;
}

/** The server takes no more. */
const MAX_HISTORY = 128;

/**
 * The live model speaks and listens; what needs a tool it hands to a second model behind it, which knows the same task. The
 * tools of an agent exist there only.
 */
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
        tools: tools.map(({ name, description, parameters }) => ({ type: 'function', name, description, parameters })),
      },
    },
  };
}

const historyItems = (history: readonly HistoryTurn[]): InitialItem[] =>
  history
    .filter(({ text }) => text !== '')
    .slice(-MAX_HISTORY)
    .map(({ role, text }) => messageOf(role, text));

function messageOf(role: HistoryTurn['role'], text: string): InitialItem {
  if (role === 'agent') return { role: 'assistant', content: [{ type: 'output_text', text }] };
  return { role: role === 'user' ? 'user' : 'developer', content: [{ type: 'input_text', text }] };
}

/** What the events that are used here must hold. */
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

/** An event of the server; also one of a kind that is not known here. Undefined: this is not the protocol. */
export const readLiveEvent = eventReader<ServerEvent>(FIELDS);
