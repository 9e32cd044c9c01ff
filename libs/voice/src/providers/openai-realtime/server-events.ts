import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';

type Field = 'string' | 'number' | 'object';

const DELTA = { response_id: 'string', item_id: 'string', delta: 'string' } as const;

/** What the events that are used here must hold; a server that breaks this is not understood. */
const FIELDS: Partial<Record<RealtimeServerEvent['type'], Record<string, Field>>> = {
  error: { error: 'object' },
  'session.created': { session: 'object' },
  'session.updated': { session: 'object' },
  'response.created': { response: 'object' },
  'response.done': { response: 'object' },
  'response.output_audio.delta': DELTA,
  'response.output_audio_transcript.delta': DELTA,
  'response.output_text.delta': DELTA,
  'response.output_item.done': { response_id: 'string', item: 'object' },
  'input_audio_buffer.speech_started': { item_id: 'string', audio_start_ms: 'number' },
  'input_audio_buffer.speech_stopped': { item_id: 'string', audio_end_ms: 'number' },
  'conversation.item.input_audio_transcription.completed': { item_id: 'string', transcript: 'string' },
  'conversation.item.input_audio_transcription.failed': { item_id: 'string', error: 'object' },
};

/** An event of the server; also one of a kind that is not known here. Undefined: this is not the protocol. */
export function readServerEvent(message: string): RealtimeServerEvent | undefined {
  const event = parsed(message);
  if (!isObject(event) || typeof event.type !== 'string') return undefined;
  const fields = Object.entries(FIELDS[event.type as RealtimeServerEvent['type']] ?? {});
  const complete = fields.every(([name, kind]) => typeof event[name] === kind && event[name] !== null);
  return complete ? (event as unknown as RealtimeServerEvent) : undefined;
}

function parsed(message: string): unknown {
  try {
    return JSON.parse(message);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
