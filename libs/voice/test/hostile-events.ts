import type { AnyEvent } from '../../../test/support/realtime-server.js';

const item = {
  type: 'function_call',
  call_id: 't1',
  name: 'send_dtmf',
  arguments: '{"digits":"1"}',
  status: 'completed',
};
const usage = {
  input_tokens: 10,
  output_tokens: 5,
  input_token_details: { text_tokens: 4, audio_tokens: 6, cached_tokens: 1, cached_tokens_details: { text_tokens: 1 } },
  output_token_details: { text_tokens: 1, audio_tokens: 4 },
};
const piece = { response_id: 'r1', item_id: 'i1' };
const sound = Buffer.alloc(160, 1).toString('base64');

/** One example of each Realtime event that is used. */
export const REALTIME_EVENTS: AnyEvent[] = [
  {
    type: 'session.updated',
    session: { expires_at: 1, audio: { input: { turn_detection: { prefix_padding_ms: 300 } } } },
  },
  { type: 'response.created', response: { id: 'r1', status: 'in_progress' } },
  { type: 'response.output_audio.delta', ...piece, delta: sound },
  { type: 'response.output_audio_transcript.delta', ...piece, delta: 'Hello. ' },
  { type: 'response.output_text.delta', ...piece, delta: 'Hello. ' },
  { type: 'response.output_item.done', response_id: 'r1', item },
  {
    type: 'response.done',
    response: {
      id: 'r1',
      status: 'failed',
      status_details: { reason: 'x', error: { code: 'c', type: 't', message: 'm' } },
      usage,
    },
  },
  { type: 'input_audio_buffer.speech_started', item_id: 'c1', audio_start_ms: 100 },
  { type: 'input_audio_buffer.speech_stopped', item_id: 'c1', audio_end_ms: 900 },
  {
    type: 'conversation.item.input_audio_transcription.completed',
    item_id: 'c1',
    transcript: 'Tea.',
    usage: { type: 'tokens', input_tokens: 1, output_tokens: 2, input_token_details: { audio_tokens: 1 } },
  },
  { type: 'conversation.item.input_audio_transcription.failed', item_id: 'c1', error: { message: 'No.' } },
  { type: 'error', error: { type: 't', code: 'c', message: 'm', event_id: 'ask-1' } },
];

/** The same for the Live protocol. */
export const LIVE_EVENTS: AnyEvent[] = [
  { type: 'session.output_audio.delta', delta: sound },
  { type: 'session.output_transcript.delta', delta: 'Hello. ' },
  { type: 'session.input_transcript.delta', delta: 'Tea.', start_ms: 100, end_ms: 900 },
  { type: 'response.event', delegation_id: 'd1', event: { type: 'response.output_item.done', item } },
  {
    type: 'response.event',
    delegation_id: 'd1',
    event: {
      type: 'response.completed',
      response: { usage: { ...usage, input_tokens_details: { cached_tokens: 1 } } },
    },
  },
  { type: 'session.usage.updated', usage: { seconds: 3 } },
  { type: 'error', error: { type: 't', code: 'c', message: 'm' } },
];

/** The same for the Live protocol of Gemini, whose messages have no type. */
export const GEMINI_EVENTS: Record<string, unknown>[] = [
  { setupComplete: {} },
  { serverContent: { modelTurn: { parts: [{ inlineData: { mimeType: 'audio/pcm;rate=24000', data: sound } }] } } },
  { serverContent: { modelTurn: { parts: [{ text: 'Hello. ', thought: false }] } } },
  { serverContent: { outputTranscription: { text: 'Hello. ' } } },
  { serverContent: { inputTranscription: { text: 'Tea.' } } },
  { serverContent: { generationComplete: true } },
  { serverContent: { interrupted: true } },
  { serverContent: { turnComplete: true, turnCompleteReason: 'NEED_MORE_INPUT' } },
  { toolCall: { functionCalls: [{ id: 't1', name: 'send_dtmf', args: { digits: '1' } }] } },
  { toolCallCancellation: { ids: ['t1'] } },
  {
    usageMetadata: {
      promptTokenCount: 10,
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 6 }],
      cachedContentTokenCount: 1,
      cacheTokensDetails: [{ modality: 'TEXT', tokenCount: 1 }],
      responseTokenCount: 5,
      responseTokensDetails: [{ modality: 'AUDIO', tokenCount: 4 }],
      thoughtsTokenCount: 1,
    },
  },
  { sessionResumptionUpdate: { newHandle: 'h', resumable: true } },
  { goAway: { timeLeft: '9.5s' } },
];

interface Chance {
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** Inserted into the JSON verbatim. */
const ODD = ['null', 'true', '5', '-1', '1e999', '1e300', '"x"', '"\\u0000\\ud800"', '{}', '[]', '[{"a":1}]', '""'];

/** The event as JSON text with one value missing or replaced. */
export function broken(event: Record<string, unknown>, random: Chance): string {
  const values = JSON.stringify(event)
    .match(/"(?:\w+)":(?:"[^"]*"|[-\d.]+|\{|\[)/g)!
    .filter((one) => !one.startsWith('"type"'));
  const name = /^"(\w+)"/.exec(random.pick(values))![1]!;
  const mark = `MARK-${name}`;
  const text = JSON.stringify(event, (key, value: unknown) => (key === name ? mark : value));
  if (random.chance(0.2)) return JSON.stringify(event, (key, value: unknown) => (key === name ? undefined : value));
  return text.replaceAll(`"${mark}"`, random.pick(ODD));
}
