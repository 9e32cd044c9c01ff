import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import {
  bytesPerMsOf,
  type EmulatedFormat,
  type Encoding,
  jsonBody,
  sendJson,
  type SpokenChunk,
  spokenChunks,
  streamSpeech,
} from './emulated-speech.js';
import type { EmulatorServices, HttpEmulator } from '../emulator.js';

const PATH = /^\/v1\/text-to-speech\/([^/]+)\/stream(\/with-timestamps)?$/;
const DEFAULT_MODEL = 'eleven_multilingual_v2';
const MAX_TEXT_LENGTH = 40_000;
const VOICE_ID = /^[A-Za-z0-9]{20}$/;
const FORMAT = /^(pcm|ulaw|alaw)_(8000|16000|22050|24000|32000|44100|48000)$/;
const ENCODINGS: Record<string, Encoding> = { pcm: 'pcm', ulaw: 'mulaw', alaw: 'alaw' };

const body = z.object({
  text: z.string(),
  model_id: z.string().default(DEFAULT_MODEL),
  language_code: z.string().nullish(),
  previous_text: z.string().nullish(),
  voice_settings: z.object({ speed: z.number().nullish() }).nullish(),
});

/** Text to speech of ElevenLabs, streamed as audio or as lines of JSON with the times of characters. */
export const elevenLabsSpeech: HttpEmulator = {
  answers: (method, url) => method === 'POST' && PATH.test(url.pathname),
  answer: speak,
};

async function speak(request: IncomingMessage, response: ServerResponse, services: EmulatorServices): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://sandbox');
  const [, voice = '', isTimed] = PATH.exec(url.pathname) ?? [];
  const read = body.safeParse(await jsonBody(request));
  if (!services.isKnown(request)) return refuse(response, 401, 'invalid_api_key', 'Invalid API key');
  if (!read.success) return sendJson(response, 422, { detail: read.error.issues.map(issue) });
  const problem = problemOf(read.data, voice);
  if (problem) return refuse(response, ...problem);
  const format = formatOf(url.searchParams.get('output_format') ?? '');
  if (!format)
    return refuse(
      response,
      400,
      'invalid_output_format',
      'The sandbox speaks the formats pcm_*, ulaw_8000 and alaw_8000.',
    );
  const { text, model_id: model, language_code: language, voice_settings: settings } = read.data;
  const opened = services.scripts.openLeg(model, 'synthesizer');
  if (!opened) return refuse(response, 400, 'model_not_found', `A model with model ID ${model} does not exist.`);
  const { script, faults } = opened;
  const { refusal } = faults;
  if (refusal) return refuse(response, refusal.status, ...REFUSALS[refusal.status]!, refusal.retryAfterSeconds);
  const wanted = {
    text,
    language: language ?? script.agent.language,
    speed: settings?.speed ?? undefined,
    ...format,
  };
  const parts = {
    chunks: (signal: AbortSignal) => spokenChunks(services.speech, wanted, signal),
    faults,
    bytesPerMs: bytesPerMsOf(format),
  };
  if (isTimed) return streamSpeech(response, 'application/json', parts, asLine);
  return streamSpeech(response, format.encoding === 'pcm' ? 'audio/pcm' : 'audio/basic', parts);
}

function problemOf({ text, voice_settings: settings }: z.output<typeof body>, voice: string): Refusal | undefined {
  if (!VOICE_ID.test(voice)) return [404, 'voice_not_found', `A voice with voice_id ${voice} was not found.`];
  if (text.trim() === '') return [400, 'input_text_empty', 'Input text is empty.'];
  if (text.length > MAX_TEXT_LENGTH)
    return [400, 'max_character_limit_exceeded', `The request exceeds the limit of ${MAX_TEXT_LENGTH} characters.`];
  const { speed } = settings ?? {};
  if (typeof speed === 'number' && (speed < 0.7 || speed > 1.2))
    return [400, 'invalid_voice_settings', 'Invalid setting for speed received, expected to be between 0.7 and 1.2.'];
  return undefined;
}

function formatOf(name: string): EmulatedFormat | undefined {
  const [, encoding = '', rate] = FORMAT.exec(name) ?? [];
  const isOffered = rate !== undefined && (encoding === 'pcm' || rate === '8000');
  return isOffered ? { encoding: ENCODINGS[encoding]!, rate: Number(rate) } : undefined;
}

function asLine({ audio, characters }: SpokenChunk): string {
  const alignment = {
    characters: characters.map(({ text }) => text),
    character_start_times_seconds: characters.map(({ startMs }) => seconds(startMs)),
    character_end_times_seconds: characters.map(({ endMs }) => seconds(endMs)),
  };
  const line = { audio_base64: audio.toString('base64'), alignment, normalized_alignment: alignment };
  return `${JSON.stringify(line)}\n`;
}

const seconds = (ms: number): number => Math.round(ms) / 1_000;

type Refusal = [status: number, code: string, message: string];

const REFUSALS: Record<number, [code: string, message: string]> = {
  400: ['invalid_request', 'The request is invalid.'],
  401: ['invalid_api_key', 'Invalid API key'],
  429: ['too_many_concurrent_requests', 'Too many concurrent requests for your subscription.'],
  500: ['internal_error', 'An internal error occurred.'],
  503: ['system_busy', 'We are currently experiencing high traffic, please try again later.'],
};

function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  retryAfterSeconds?: number,
): void {
  sendJson(response, status, { detail: { status: code, message } }, retryAfterSeconds);
}

const issue = ({ path, message, code }: z.core.$ZodIssue) => ({ loc: ['body', ...path], msg: message, type: code });
