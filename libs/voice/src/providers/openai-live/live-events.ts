import type { ServerEvent } from 'openai/resources/live/live';
import { eventReader, type FieldsOf } from '../socket/read-event.js';

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
