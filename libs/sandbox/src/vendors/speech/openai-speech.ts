import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { bytesPerMsOf, jsonBody, sendJson, type SpokenChunk, spokenChunks, streamSpeech } from './emulated-speech.js';
import type { EmulatorServices, HttpEmulator } from '../emulator.js';

const FORMAT = { encoding: 'pcm', rate: 24_000 } as const;
const BYTES_PER_MS = bytesPerMsOf(FORMAT);
const MAX_TEXT_LENGTH = 4_096;
const VOICES = /^(?:alloy|ash|ballad|coral|echo|fable|onyx|nova|sage|shimmer|verse|marin|cedar|voice_\w+)$/;
/** Tokens of audio per second, by the vendor's prices per minute and per token. */
const TOKENS_PER_SECOND = 20;

const body = z.object({
  model: z.string().min(1),
  input: z.string().min(1).max(MAX_TEXT_LENGTH),
  voice: z.union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)]),
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).default('mp3'),
  speed: z.number().min(0.25).max(4).default(1),
  instructions: z.string().optional(),
  stream_format: z.enum(['sse', 'audio']).default('audio'),
});

/** Text to speech of OpenAI, as raw audio or as events. */
export const openAiSpeech: HttpEmulator = {
  answers: (method, url) => method === 'POST' && url.pathname === '/v1/audio/speech',
  answer: speak,
};

async function speak(request: IncomingMessage, response: ServerResponse, services: EmulatorServices): Promise<void> {
  const read = body.safeParse(await jsonBody(request));
  if (!services.isKnown(request)) return refuse(response, 401, REFUSALS[401]!);
  if (!read.success) {
    const [issue] = read.error.issues;
    return refuse(response, 400, { message: issue?.message ?? '', code: null, param: issue?.path.join('.') });
  }
  const { model, input, voice, response_format: format, speed, stream_format: streamed } = read.data;
  if (!VOICES.test(voice)) return refuse(response, 400, { message: `Invalid voice: ${voice}.`, param: 'voice' });
  if (format !== 'pcm')
    return refuse(response, 400, { message: 'The sandbox speaks the format pcm.', param: 'response_format' });
  const opened = services.scripts.openLeg(model, 'synthesizer');
  if (!opened)
    return refuse(response, 404, { message: `The model '${model}' does not exist.`, code: 'model_not_found' });
  const { faults, script } = opened;
  const { refusal } = faults;
  if (refusal) return refuse(response, refusal.status, REFUSALS[refusal.status]!, refusal.retryAfterSeconds);
  const wanted = { text: input, language: script.agent.language, speed, ...FORMAT };
  const chunks = (signal: AbortSignal) => spokenChunks(services.speech, wanted, signal);
  const parts = { faults, bytesPerMs: BYTES_PER_MS };
  if (streamed === 'audio') return streamSpeech(response, 'audio/pcm', { chunks, ...parts });
  const events = new SpeechEvents(input);
  const whole = { chunks, ...parts, end: () => events.done() };
  return streamSpeech(response, 'text/event-stream', whole, (chunk) => events.delta(chunk));
}

/** The events of a response with `stream_format: sse`. */
class SpeechEvents {
  private bytes = 0;

  constructor(private readonly input: string) {}

  delta({ audio }: SpokenChunk): string {
    this.bytes += audio.length;
    return eventOf({ type: 'speech.audio.delta', audio: audio.toString('base64') });
  }

  done(): string {
    const output = Math.ceil((this.bytes / BYTES_PER_MS / 1_000) * TOKENS_PER_SECOND);
    const tokens = Math.ceil(this.input.length / 4);
    const usage = { input_tokens: tokens, output_tokens: output, total_tokens: tokens + output };
    return eventOf({ type: 'speech.audio.done', usage });
  }
}

const eventOf = (event: object): string => `data: ${JSON.stringify(event)}\n\n`;

interface Refusal {
  message: string;
  type?: string;
  code?: string | null;
  param?: string;
}

const REFUSALS: Record<number, Refusal> = {
  400: { message: 'The request is invalid.' },
  401: { message: 'Incorrect API key provided.', code: 'invalid_api_key' },
  429: { message: 'Rate limit reached for requests.', type: 'requests', code: 'rate_limit_exceeded' },
  500: { message: 'The server had an error while processing your request.', type: 'server_error' },
  503: { message: 'The server is overloaded or not ready yet.', type: 'server_error' },
};

function refuse(response: ServerResponse, status: number, refusal: Refusal, retryAfterSeconds?: number): void {
  const error = { type: 'invalid_request_error', code: null, param: null, ...refusal };
  sendJson(response, status, { error }, retryAfterSeconds);
}
