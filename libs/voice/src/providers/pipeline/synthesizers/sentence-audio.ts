import { encode } from '@app/telephony';
import { alignedResampler } from '../../../speech/polyphase.js';
import type { LegAudio, SynthesisRequest } from '../ports.js';
import type { UsageItem } from '../../../usage.js';

/** No sentence is as long: a server that does not stop would take the memory of all calls. */
const MAX_MS = 5 * 60_000;
/** Shorter pieces are collected: a server that sends single bytes would occupy the thread. */
const MIN_MS = 20;

/** A server's audio, when it differs from the requested format: 16-bit little-endian PCM, mono. */
interface ServerPcm {
  rate: 8_000 | 16_000 | 24_000;
}

/** The audio of one sentence, in the format of the request, from the bytes of a server in pieces of any length. */
export class SentenceAudio {
  private rest: Buffer = Buffer.alloc(0);
  private ready: Buffer[] = [];
  private readyBytes = 0;
  private totalBytes = 0;
  private readonly convert: PcmConverter | undefined;
  private readonly bytesPerMs: number;
  private readonly bytesPerSample: number;

  /** `server`: absent when the server sends the requested format. */
  constructor(
    private readonly name: string,
    audio: LegAudio,
    server?: ServerPcm,
  ) {
    this.convert = server && pcmConverter(server, audio);
    this.bytesPerMs = bytesPerMs(audio);
    this.bytesPerSample = server || audio.codec === 'L16' ? 2 : 1;
  }

  /** The duration of the audio so far. */
  get ms(): number {
    return this.totalBytes / this.bytesPerMs;
  }

  /** Undefined: too little for a piece. Throws when the audio is longer than any sentence. */
  push(bytes: Buffer): Buffer | undefined {
    const all = this.rest.length > 0 ? Buffer.concat([this.rest, bytes]) : bytes;
    const whole = all.length - (all.length % this.bytesPerSample);
    // A copy: a slice would keep the whole piece in memory.
    this.rest = Buffer.from(all.subarray(whole));
    const samples = all.subarray(0, whole);
    this.add(this.convert ? this.convert.push(samples) : samples);
    return this.readyBytes >= MIN_MS * this.bytesPerMs ? this.take() : undefined;
  }

  /** The last audio. Half a sample is not audio. */
  end(): Buffer | undefined {
    if (this.convert) this.add(this.convert.end());
    return this.take();
  }

  private add(audio: Buffer): void {
    if (audio.length === 0) return;
    this.ready.push(audio);
    this.readyBytes += audio.length;
    this.totalBytes += audio.length;
    if (this.ms > MAX_MS)
      throw new Error(`The server of ${this.name} sends more than ${MAX_MS / 60_000} min of audio for a sentence.`);
  }

  private take(): Buffer | undefined {
    if (this.readyBytes === 0) return undefined;
    const [first, ...others] = this.ready;
    const audio = others.length > 0 ? Buffer.concat(this.ready) : first;
    this.ready = [];
    this.readyBytes = 0;
    return audio;
  }
}

const bytesPerMs = ({ codec }: LegAudio): number => (codec === 'L16' ? 32 : 8);

interface PcmConverter {
  push(bytes: Buffer): Buffer;
  end(): Buffer;
}

function pcmConverter(server: ServerPcm, audio: LegAudio): PcmConverter {
  const format = ({ codec }: LegAudio, samples: Int16Array): Buffer =>
    codec === 'L16' ? bytesOf(samples) : encode(codec, samples);
  if (server.rate === audio.rate)
    return { push: (bytes) => format(audio, samplesOf(bytes)), end: () => Buffer.alloc(0) };
  const resampler = alignedResampler(server.rate, audio.rate);
  return {
    push: (bytes) => format(audio, resampler.push(samplesOf(bytes))),
    end: () => format(audio, resampler.end()),
  };
}

/** A copy, because 16-bit samples need an even position. */
function samplesOf(bytes: Buffer): Int16Array {
  const { buffer } = new Uint8Array(bytes);
  return new Int16Array(buffer);
}

/** Little-endian, as every machine that Node runs on. */
export const bytesOf = (samples: Int16Array): Buffer =>
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

/** The usage of vendors that charge by submitted characters; each counts the characters of Unicode. */
export const charactersOf = (source: string, { text }: SynthesisRequest): UsageItem[] => [
  { kind: 'synthesis_characters', quantity: Array.from(text).length / 1_000, unit: 'thousand_characters', source },
];
