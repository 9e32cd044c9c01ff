import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { encode } from '@app/telephony';
import { resample, SAMPLE_RATE, type Speech } from '@app/voice';
import { bodyOf } from '../../server/request-body.js';
import type { LegFaults } from '../leg-faults.js';

/** The audio of one message. */
const CHUNK_MS = 250;
const MAX_BODY_LENGTH = 256 * 1024;

export type Encoding = 'pcm' | 'mulaw' | 'alaw';

/** The audio format of a request. */
export interface EmulatedFormat {
  encoding: Encoding;
  rate: number;
}

interface SpeechWanted extends EmulatedFormat {
  text: string;
  language?: string;
  /** Changes the pitch as well; the duration is right. */
  speed?: number;
}

/** A character or a word of the text and its time in the audio. */
interface TimedText {
  text: string;
  startMs: number;
  endMs: number;
}

export interface SpokenChunk {
  audio: Buffer;
  /** The characters that end in this chunk. */
  characters: TimedText[];
}

/** Speaks a text in chunks; the times of the characters are proportional to the audio of their sentence. */
export async function* spokenChunks(
  speech: Speech,
  { text, language, speed = 1, encoding, rate }: SpeechWanted,
  signal: AbortSignal,
): AsyncGenerator<SpokenChunk> {
  let at = 0;
  let offsetMs = 0;
  const perChunk = Math.round((rate * CHUNK_MS) / 1_000);
  for await (const { text: sentence, samples } of speech.samples(text, language, signal)) {
    const audio = await resample(samples, SAMPLE_RATE * speed, rate);
    const durationMs = (audio.length / rate) * 1_000;
    const end = Math.max(at, text.indexOf(sentence, at)) + sentence.length;
    const characters = charactersOf(text.slice(at, end), offsetMs, durationMs);
    at = end;
    for (let from = 0; from < audio.length; from += perChunk) {
      const chunk = audio.subarray(from, from + perChunk);
      const isLast = from + perChunk >= audio.length;
      const untilMs = isLast ? Infinity : offsetMs + ((from + perChunk) / rate) * 1_000;
      const next = characters.findIndex(({ endMs }) => endMs > untilMs);
      yield { audio: encoded(encoding, chunk), characters: characters.splice(0, next < 0 ? characters.length : next) };
    }
    offsetMs += durationMs;
  }
}

function charactersOf(text: string, fromMs: number, durationMs: number): TimedText[] {
  const characters = Array.from(text);
  const perCharacter = durationMs / characters.length;
  return characters.map((character, i) => ({
    text: character,
    startMs: fromMs + i * perCharacter,
    endMs: fromMs + (i + 1) * perCharacter,
  }));
}

function encoded(encoding: Encoding, samples: Int16Array): Buffer {
  if (encoding === 'pcm') return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  return encode(encoding === 'mulaw' ? 'PCMU' : 'PCMA', samples);
}

const stopped = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort');
};

/** Where an emulated synthesizer sends its speech. */
interface SpeechOutput {
  chunk(chunk: SpokenChunk): Promise<void> | void;
  /** A message that violates the protocol. */
  garbage(): void;
  /** Ends the connection without a goodbye. */
  cut(): void;
}

/** Sends speech with the faults of its script. Returns whether all of it was sent. */
export async function sendSpeech(
  chunks: AsyncIterable<SpokenChunk>,
  { faults, bytesPerMs }: { faults: LegFaults; bytesPerMs: number },
  output: SpeechOutput,
  signal: AbortSignal,
): Promise<boolean> {
  if (faults.delayMs > 0) await Promise.race([delay(faults.delayMs, undefined, { ref: false }), stopped(signal)]);
  let sentMs = 0;
  for await (const chunk of chunks) {
    for (let fault = faults.due(sentMs); fault; fault = faults.due(sentMs)) {
      if (fault === 'garbage') output.garbage();
      if (fault === 'disconnect') output.cut();
      if (fault === 'stall') await stopped(signal);
      if (fault !== 'garbage') return false;
    }
    if (signal.aborted) return false;
    await output.chunk(chunk);
    sentMs += chunk.audio.length / bytesPerMs;
  }
  return !signal.aborted;
}

export const bytesPerMsOf = ({ encoding, rate }: EmulatedFormat): number =>
  (rate / 1_000) * (encoding === 'pcm' ? 2 : 1);

interface SpeechParts {
  chunks(signal: AbortSignal): AsyncIterable<SpokenChunk>;
  faults: LegFaults;
  bytesPerMs: number;
  /** The bytes after the last chunk. */
  end?: () => string;
}

/** Streams speech as the body of a response; `asBytes` writes one chunk. */
export async function streamSpeech(
  response: ServerResponse,
  contentType: string,
  parts: SpeechParts,
  asBytes: (chunk: SpokenChunk) => Buffer | string = ({ audio }) => audio,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const { signal } = gone;
  const writeHead = (): void => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': contentType });
  };
  const isDone = await sendSpeech(
    parts.chunks(signal),
    parts,
    {
      async chunk(chunk) {
        writeHead();
        const hasRoom = response.write(asBytes(chunk));
        if (!hasRoom) await Promise.race([once(response, 'drain'), stopped(signal)]);
      },
      garbage() {
        writeHead();
        response.flushHeaders();
        // No valid length of a chunk: the client cannot read on.
        response.socket?.write('garbage\r\n');
      },
      cut: () => response.destroy(),
    },
    signal,
  );
  if (!isDone) return;
  writeHead();
  response.end(parts.end?.());
}

/** The JSON of a request. Undefined: it is not an object, or too long. */
export async function jsonBody(request: IncomingMessage): Promise<Record<string, unknown> | undefined> {
  const json = await bodyOf(request, MAX_BODY_LENGTH);
  if (json === undefined) return undefined;
  try {
    const body: unknown = JSON.parse(json);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : undefined;
  } catch {
    return undefined;
  }
}

export function sendJson(response: ServerResponse, status: number, body: object, retryAfterSeconds?: number): void {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
