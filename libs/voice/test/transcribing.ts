import { decode, encode, silentFrame } from '@app/telephony';
import { readScript, SandboxServer } from '@app/sandbox';
import { type Clock, systemClock } from '../src/clock.js';
import type { TranscriberKind } from '../src/providers/pipeline/leg-registry.js';
import type {
  LegAudio,
  TranscriberEvent,
  TranscriberStream,
  TranscriptionRequest,
} from '../src/providers/pipeline/ports.js';
import type { VendorName, VendorServer } from '../src/providers/provider-settings.js';
import { resample } from '../src/speech/voice.js';
import { speech, userSpeech } from './test-call.js';

export const MU_LAW: LegAudio = { codec: 'PCMU', rate: 8000 };
export const A_LAW: LegAudio = { codec: 'PCMA', rate: 8000 };
export const WIDEBAND: LegAudio = { codec: 'L16', rate: 16000 };

export const english: TranscriptionRequest = { audio: MU_LAW, language: 'en', languages: ['en'], keywords: [] };

export interface Transcribing {
  server: VendorServer;
  request?: TranscriptionRequest;
  model?: string;
  keywords?: string[];
  clock?: Clock;
  signal?: AbortSignal;
}

/** A stream of the vendor's adapter with all its events. */
export async function transcribing(kind: TranscriberKind, vendor: VendorName, wanted: Transcribing) {
  const { server, request = english, model, keywords, clock = systemClock } = wanted;
  const provider = vendor as 'deepgram';
  const transcriber = kind.open(
    { provider, model, keywords },
    { settings: { vendors: { [vendor]: server } }, clock, speech },
  );
  const events: TranscriberEvent[] = [];
  let waiting: (() => void)[] = [];
  const onEvent = (event: TranscriberEvent): void => {
    events.push(event);
    const woken = waiting;
    waiting = [];
    woken.forEach((wake) => wake());
  };
  const stream = await transcriber.open(request, onEvent, wanted.signal ?? new AbortController().signal);
  const of = <T extends TranscriberEvent['type']>(type: T) =>
    events.filter((event): event is Extract<TranscriberEvent, { type: T }> => event.type === type);
  const untilSome = async (wanted: (event: TranscriberEvent) => boolean): Promise<void> => {
    while (!events.some(wanted)) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const until = async <T extends TranscriberEvent['type']>(type: T, count = 1) => {
    while (of(type).length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    return of(type);
  };
  return { stream, events, of, until, untilSome };
}

/** 400 ms of silence, speech for so long, and silence, in frames of 20 ms. */
export async function utterance(audio: LegAudio, ms: number, silenceMs = 1_600): Promise<Buffer[]> {
  const spoken = decode('PCMU', await userSpeech(ms));
  const samples = Int16Array.from([...new Int16Array(400 * 8), ...spoken, ...new Int16Array(silenceMs * 8)]);
  return frames(audio, await bytesOf(audio, samples));
}

async function bytesOf({ codec }: LegAudio, samples: Int16Array): Promise<Buffer> {
  if (codec !== 'L16') return encode(codec, samples);
  const wide = await resample(samples, 8_000, 16_000);
  return Buffer.from(wide.buffer, wide.byteOffset, wide.byteLength);
}

function frames({ codec }: LegAudio, bytes: Buffer): Buffer[] {
  const length = codec === 'L16' ? 640 : 160;
  return Array.from({ length: Math.floor(bytes.length / length) }, (_, i) =>
    bytes.subarray(i * length, (i + 1) * length),
  );
}

export const silence = ({ codec }: LegAudio): Buffer =>
  codec === 'L16' ? Buffer.alloc(640) : Buffer.from(silentFrame(codec));

export function send(stream: TranscriberStream, audio: readonly Buffer[]): void {
  for (const frame of audio) stream.send(frame);
}

/** The sandbox server in the place of a vendor. */
export async function playedBy(
  legs: object,
): Promise<{ server: SandboxServer; vendor: (path: string) => VendorServer }> {
  const server = await SandboxServer.start({ speech, script: readScript({ legs }) });
  return { server, vendor: (path) => ({ url: `http://127.0.0.1:${server.port}${path}`, key: server.key }) };
}
