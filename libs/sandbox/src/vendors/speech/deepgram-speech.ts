import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  bytesPerMsOf,
  type EmulatedFormat,
  type Encoding,
  jsonBody,
  sendJson,
  spokenChunks,
  streamSpeech,
} from './emulated-speech.js';
import type { EmulatorServices, HttpEmulator } from '../emulator.js';

const DEFAULT_MODEL = 'aura-asteria-en';
const MAX_TEXT_LENGTH = 2_000;
const MODEL = /^(?:aura(?:-2)?-[a-z]+-[a-z]{2}|script-[0-9a-f]{64})$/;
const RATES: Record<string, readonly number[]> = {
  linear16: [8_000, 16_000, 24_000, 32_000, 48_000],
  mulaw: [8_000, 16_000],
  alaw: [8_000, 16_000],
};
const ENCODINGS: Record<string, Encoding> = { linear16: 'pcm', mulaw: 'mulaw', alaw: 'alaw' };

/** Text to speech of Deepgram over HTTP, with raw audio. */
export const deepgramSpeech: HttpEmulator = {
  answers: (method, url) => method === 'POST' && url.pathname === '/v1/speak',
  answer: speak,
};

async function speak(request: IncomingMessage, response: ServerResponse, services: EmulatorServices): Promise<void> {
  const { searchParams: query } = new URL(request.url ?? '/', 'http://sandbox');
  const body = await jsonBody(request);
  if (!services.isKnown(request)) return refuse(response, 401, 'INVALID_AUTH', 'Invalid credentials.');
  const text = body?.text;
  if (typeof text !== 'string' || text.trim() === '')
    return refuse(response, 400, 'PAYLOAD_ERROR', 'Failed to deserialize JSON payload. Please specify text.');
  if (text.length > MAX_TEXT_LENGTH)
    return refuse(response, 413, 'PAYLOAD_TOO_LARGE', `Input text exceeds the limit of ${MAX_TEXT_LENGTH} characters.`);
  const format = formatOf(query);
  if (!format)
    return refuse(
      response,
      400,
      'UNSUPPORTED_AUDIO_FORMAT',
      'The sandbox speaks linear16, mulaw and alaw without container.',
    );
  const speed = Number(query.get('speed') ?? 1);
  if (!(speed >= 0.7 && speed <= 1.5))
    return refuse(response, 400, 'INVALID_QUERY_PARAMETER', 'speed must be between 0.7 and 1.5.');
  const model = query.get('model') ?? DEFAULT_MODEL;
  const opened = MODEL.test(model) ? services.scripts.openLeg(model, 'synthesizer') : undefined;
  if (!opened) return refuse(response, 400, 'INVALID_QUERY_PARAMETER', `No such model: ${model}.`);
  const { faults } = opened;
  const { refusal } = faults;
  if (refusal) return refuse(response, refusal.status, ...REFUSALS[refusal.status]!, refusal.retryAfterSeconds);
  response.setHeader('dg-request-id', randomUUID());
  response.setHeader('dg-model-name', model);
  response.setHeader('dg-char-count', Array.from(text).length);
  const wanted = { text, language: /-([a-z]{2})$/.exec(model)?.[1], speed, ...format };
  const chunks = (signal: AbortSignal) => spokenChunks(services.speech, wanted, signal);
  return streamSpeech(response, TYPES[format.encoding], { chunks, faults, bytesPerMs: bytesPerMsOf(format) });
}

const TYPES: Record<Encoding, string> = { pcm: 'audio/l16', mulaw: 'audio/mulaw', alaw: 'audio/alaw' };

function formatOf(query: URLSearchParams): EmulatedFormat | undefined {
  const encoding = query.get('encoding') ?? 'mp3';
  const rates = RATES[encoding];
  const rate = Number(query.get('sample_rate') ?? (encoding === 'linear16' ? 24_000 : 8_000));
  if (!rates?.includes(rate) || query.get('container') !== 'none') return undefined;
  return { encoding: ENCODINGS[encoding]!, rate };
}

const REFUSALS: Record<number, [code: string, message: string]> = {
  400: ['INVALID_QUERY_PARAMETER', 'The request is invalid.'],
  401: ['INVALID_AUTH', 'Invalid credentials.'],
  429: ['TOO_MANY_REQUESTS', 'Too many requests. Please try again later.'],
  500: ['INTERNAL_SERVER_ERROR', 'An internal error occurred.'],
  503: ['SERVICE_UNAVAILABLE', 'The service is unavailable.'],
};

function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  retryAfterSeconds?: number,
): void {
  sendJson(response, status, { err_code: code, err_msg: message, request_id: randomUUID() }, retryAfterSeconds);
}
