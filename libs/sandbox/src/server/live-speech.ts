import type { OutputAudioDeltaEvent, OutputTranscriptDeltaEvent } from 'openai/resources/live/live';
import { delay, encode } from '@app/telephony';
import { resample, type Speech } from '@app/voice';
import type { TokenCount } from './conversation-items.js';
import type { ConnectionFaults } from './faults.js';
import type { LiveFormat } from './live-messages.js';

const CHUNK_MS = 100;
/** Audio that leaves before its time: the network's variation. */
const AHEAD_MS = 200;
const LATE_CHUNKS = 3;
const SYNTHESIS_RATE = 8_000;

interface SpeechSettings {
  format: LiveFormat;
  language: string | undefined;
  /** The position in the session, in milliseconds. */
  offsetMs: () => number;
}

interface SpeechParts {
  send: (event: OutputAudioDeltaEvent | Omit<OutputTranscriptDeltaEvent, 'event_id'>) => void;
  speech: Speech;
  tokens: TokenCount;
  faults: ConnectionFaults;
}

/** Words that the model speaks, at the pace of speech: a session of two directions has no audio in advance. */
export class LiveSpeech {
  private readonly stopping = new AbortController();
  private readonly startedAt = performance.now();
  private audioMs = 0;
  private lastChunk: Buffer | undefined;

  constructor(
    private readonly settings: SpeechSettings,
    private readonly parts: SpeechParts,
  ) {}

  get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /** The model falls silent; chunks that were on their way still arrive. */
  stop(): void {
    if (this.isStopped) return;
    this.stopping.abort();
    if (!this.parts.faults.sendsLateDeltas || !this.lastChunk) return;
    for (let i = 0; i < LATE_CHUNKS; i++) this.sendAudio(this.lastChunk);
  }

  /** Returns when the words have been spoken, or the model was stopped. */
  async run(text: string): Promise<void> {
    if (text === '') return;
    const { speech, faults, tokens } = this.parts;
    const { format, language } = this.settings;
    const { signal } = this.stopping;
    await delay(faults.audioDelayMs, signal);
    const chunkBytes = CHUNK_MS * bytesPerMs(format);
    let isFirst = true;
    for await (const { text: sentence, samples } of speech.samples(text, language, signal)) {
      const audio = await audioOf(samples, format);
      if (signal.aborted) return;
      this.sendWords(isFirst ? sentence : ` ${sentence}`, audio.length / bytesPerMs(format));
      isFirst = false;
      for (let at = 0; at < audio.length; at += chunkBytes) {
        await this.due();
        if (signal.aborted) return;
        this.lastChunk = audio.subarray(at, at + chunkBytes);
        this.sendAudio(this.lastChunk);
        const ms = this.lastChunk.length / bytesPerMs(format);
        this.audioMs += ms;
        tokens.saidAudio(ms);
        faults.audioSent(this.audioMs);
      }
    }
    await delay(Math.max(0, this.audioMs - (performance.now() - this.startedAt)), signal);
  }

  private async due(): Promise<void> {
    const dueMs = this.audioMs - AHEAD_MS - (performance.now() - this.startedAt);
    if (dueMs > 1) await delay(dueMs, this.stopping.signal);
  }

  private sendWords(delta: string, ms: number): void {
    this.parts.tokens.saidText(delta);
    const start = this.settings.offsetMs();
    const range = { start_ms: start, end_ms: Math.round(start + ms) };
    this.parts.send({ type: 'session.output_transcript.delta', delta, ...range });
  }

  private sendAudio(chunk: Buffer): void {
    this.parts.send({ type: 'session.output_audio.delta', delta: chunk.toString('base64') });
  }
}

const bytesPerMs = ({ type, rate }: LiveFormat): number => ((type === 'audio/pcm' ? 2 : 1) * rate) / 1_000;

/** A spoken sentence, 8 kHz, in the format of the client. */
async function audioOf(samples: Int16Array, { type, rate }: LiveFormat): Promise<Buffer> {
  if (type !== 'audio/pcm') return encode(type === 'audio/pcma' ? 'PCMA' : 'PCMU', samples);
  const { buffer, byteOffset, byteLength } = await resample(samples, SYNTHESIS_RATE, rate);
  return Buffer.from(buffer, byteOffset, byteLength);
}
