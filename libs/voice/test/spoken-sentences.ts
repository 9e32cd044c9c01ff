import { decode } from '@app/telephony';
import { readScript, SandboxServer } from '@app/sandbox';
import { openSynthesizer } from '../src/providers/pipeline/leg-registry.js';
import type { SynthesizerChoice } from '../src/providers/pipeline/pipeline-options.js';
import type {
  LegAudio,
  SynthesisEvent,
  SynthesisRequest,
  Synthesizer,
  TimedWord,
} from '../src/providers/pipeline/ports.js';
import type { ProviderSettings } from '../src/providers/provider-settings.js';
import type { UsageItem } from '../src/usage.js';
import { type Clock, systemClock } from '../src/clock.js';
import { speech } from './test-call.js';

export const PCMU: LegAudio = { codec: 'PCMU', rate: 8_000 };
export const PCMA: LegAudio = { codec: 'PCMA', rate: 8_000 };
export const L16: LegAudio = { codec: 'L16', rate: 16_000 };

export const NEVER = new AbortController().signal;

/** The events of one sentence, collected. */
export interface Spoken {
  audio: Buffer;
  /** The sizes of the pieces. */
  pieces: number[];
  words: TimedWord[];
  usage: UsageItem[];
}

export async function collect(events: AsyncIterable<SynthesisEvent>): Promise<Spoken> {
  const pieces: Buffer[] = [];
  const words: TimedWord[] = [];
  const usage: UsageItem[] = [];
  for await (const event of events) {
    if (event.type === 'audio') pieces.push(event.audio);
    if (event.type === 'words') words.push(...event.words);
    if (event.type === 'usage') usage.push(...event.items);
  }
  return { audio: Buffer.concat(pieces), pieces: pieces.map(({ length }) => length), words, usage };
}

export const spoken = (
  synthesizer: Synthesizer,
  request: Partial<SynthesisRequest> & { text: string },
  signal: AbortSignal = NEVER,
): Promise<Spoken> => collect(synthesizer.speak({ audio: PCMU, ...request }, signal));

export const samplesOf = ({ codec }: LegAudio, audio: Buffer): Int16Array =>
  codec === 'L16' ? new Int16Array(new Uint8Array(audio).buffer) : decode(codec, audio);

export const durationMs = ({ codec }: LegAudio, audio: Buffer): number => audio.length / (codec === 'L16' ? 32 : 8);

/** The vendors at this address. */
export const settingsAt = (url: string, key = 'the-key'): ProviderSettings => ({
  vendors: {
    elevenlabs: { url, key },
    cartesia: { url, key },
    deepgram: { url, key },
    openai: { url: `${url}/v1`, key },
  },
});

export const openedSynthesizer = (
  choice: SynthesizerChoice,
  settings: ProviderSettings,
  clock: Clock = systemClock,
): Promise<Synthesizer> => openSynthesizer(choice, { speech, clock, settings });

/** A sandbox server that plays the vendors with these faults of the synthesizer. */
export async function playedVendors(
  faults: object[] = [],
): Promise<{ server: SandboxServer; settings: ProviderSettings; url: string }> {
  const server = await SandboxServer.start({ speech, script: readScript({ legs: { synthesizer: faults } }) });
  const url = `http://127.0.0.1:${server.port}`;
  return { server, url, settings: settingsAt(url, server.key) };
}
