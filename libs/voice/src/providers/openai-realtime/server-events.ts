import type { RealtimeServerEvent } from 'openai/resources/realtime/realtime';
import { eventReader, type FieldsOf } from '../socket/read-event.js';

const DELTA = { response_id: 'string', item_id: 'string', delta: 'string' } as const;

/** What the events that are used here must hold; a server that breaks this is not understood. */
const FIELDS: FieldsOf<RealtimeServerEvent> = {
  error: { error: 'object', 'error.event_id': 'string?' },
  'session.created': { session: 'object' },
  'session.updated': { session: 'object' },
  'response.created': { response: 'object', 'response.id': 'string?' },
  'response.done': { response: 'object', 'response.id': 'string?' },
  'response.output_audio.delta': DELTA,
  'response.output_audio_transcript.delta': DELTA,
  'response.output_text.delta': DELTA,
  'response.output_item.done': {
    response_id: 'string',
    item: 'object',
    'item.call_id': 'string?',
    'item.name': 'string?',
  },
  'input_audio_buffer.speech_started': { item_id: 'string', audio_start_ms: 'number' },
  'input_audio_buffer.speech_stopped': { item_id: 'string', audio_end_ms: 'number' },
  'conversation.item.input_audio_transcription.completed': { item_id: 'string', transcript: 'string' },
  'conversation.item.input_audio_transcription.failed': { item_id: 'string', error: 'object' },
};

/** An event of the server; also one of a kind that is not known here. Undefined: this is not the protocol. */
export const readServerEvent = eventReader<RealtimeServerEvent>(FIELDS);
