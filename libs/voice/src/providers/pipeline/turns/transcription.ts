import { FRAME_MS } from '@app/telephony';
import { withTimeLimit, type Clock } from '../../../clock.js';
import type { UsageItem } from '../../../usage.js';
import { ProviderUnavailable } from '../../voice-provider.js';
import { type LegChain, LegsFailed, LegTimeout, LIMITS } from '../legs.js';
import type { Transcriber, TranscriberEvent, TranscriberStream, TranscriptionRequest } from '../ports.js';

/** 30 s of speech are 240 KB; only the end of longer speech is replayed. */
const MAX_FRAMES = 30_000 / FRAME_MS;

/** The words of the user. Positions count the audio of the conversation, whichever stream recognised them. */
export type TranscriptEvent = Exclude<TranscriberEvent, { type: 'usage' | 'error' | 'closed' }>;

interface TranscriptionListener {
  heard(event: TranscriptEvent): void;
  usage(items: UsageItem[]): void;
  error(code: string, message: string): void;
  /** No transcriber works any more. */
  failed(error: unknown): void;
}

/** One vendor's stream. */
interface Current {
  /** Absent while it is opened. */
  stream?: TranscriberStream;
  /** Where the audio of the stream begins. */
  originMs: number;
  /** When the latest event of the user's speech arrived, by the clock. */
  heardAt: number;
  /** When the latest error arrived. */
  failedAt: number;
}

/** Transcribes the user over several streams: audio without final words is sent again to the next one. */
export class Transcription {
  private current: Current | undefined;
  private kept: Buffer[] = [];
  private sentMs = 0;
  /** The legs were replaced because of silence, without success. */
  private mayBeNoise = false;

  constructor(
    private readonly transcribers: LegChain<Transcriber>,
    private readonly request: TranscriptionRequest,
    private readonly clock: Clock,
    private readonly listener: TranscriptionListener,
    /** Aborts at the end of the connection. */
    private readonly signal: AbortSignal,
  ) {}

  /** Rejects with the failure of the last transcriber. `signal`: of the attempt. */
  async open(signal: AbortSignal): Promise<void> {
    for (;;) {
      try {
        return await this.dial(signal);
      } catch (error) {
        signal.throwIfAborted();
        await this.transcribers.failed(error, signal);
      }
    }
  }

  /** No stream is open: words arrive later. */
  get isDown(): boolean {
    return this.current?.stream === undefined;
  }

  /** The transcriber decides when a turn has ended. */
  get endsTurns(): boolean {
    return this.transcribers.leg.endsTurns === true;
  }

  send(frame: Buffer): void {
    this.kept.push(frame);
    this.sentMs += FRAME_MS;
    if (this.kept.length > MAX_FRAMES) this.kept.shift();
    this.current?.stream?.send(frame);
  }

  /** Audio before this position has no unknown words. */
  settled(atMs: number): void {
    const frames = this.kept.length - Math.ceil((this.sentMs - atMs) / FRAME_MS);
    if (frames > 0) this.kept.splice(0, frames);
  }

  flush(): void {
    this.current?.stream?.flush();
  }

  /**
   * Speech since `since` (by the clock) has no words. Returns whether the stream is replaced, because it reported nothing at all, or an
   * error: it may be dead, and the speech is heard again.
   */
  suspect(since: number): boolean {
    const { current } = this;
    if (!current?.stream || this.mayBeNoise) return false;
    if (current.heardAt >= since && current.failedAt < since) return false;
    const { firstTranscriptMs } = LIMITS;
    const { name } = this.transcribers.leg;
    this.replace(new LegTimeout(`${name} recognised nothing within ${firstTranscriptMs} ms after speech.`));
    return true;
  }

  close(): void {
    const { current } = this;
    this.current = undefined;
    current?.stream?.close();
    this.kept = [];
  }

  private async dial(signal: AbortSignal): Promise<void> {
    const { transcribers, request, clock } = this;
    const opening: Current = {
      originMs: this.sentMs - this.kept.length * FRAME_MS,
      heardAt: -Infinity,
      failedAt: -Infinity,
    };
    const { leg } = transcribers;
    const { connectMs } = LIMITS;
    let isLate = false;
    const open = async (own: AbortSignal): Promise<TranscriberStream> => {
      const stream = await leg.open(request, (event) => this.take(opening, event), own);
      if (isLate || own.aborted) stream.close();
      return stream;
    };
    const late = (): never => {
      isLate = true;
      throw new LegTimeout(`${leg.name} did not connect within ${connectMs} ms.`);
    };
    this.current = opening;
    const stream = await withTimeLimit(clock, connectMs, signal, open, late);
    if (this.signal.aborted || this.current !== opening) return stream.close();
    opening.stream = stream;
    // Audio that arrived meanwhile is kept as well.
    for (const frame of this.kept) stream.send(frame);
  }

  private take(from: Current, event: TranscriberEvent): void {
    // Usage may arrive while a stream closes.
    if (event.type === 'usage') return this.listener.usage(event.items);
    if (from !== this.current) return;
    if (event.type === 'error') from.failedAt = this.clock.now();
    else from.heardAt = this.clock.now();
    switch (event.type) {
      case 'error':
        this.listener.error(event.code, event.message);
        if (event.losesWords) this.replace(new Error(`${this.transcribers.leg.name}: ${event.message}`));
        return;
      case 'closed':
        return this.replace(closedError(this.transcribers.leg.name, event));
      case 'speech_started':
      case 'end_of_turn':
      case 'may_end':
      case 'resumed':
        return this.listener.heard({ ...event, atMs: event.atMs + from.originMs });
      case 'interim':
        this.worked(event.text);
        return this.listener.heard({ ...event, endMs: event.endMs + from.originMs });
      case 'final': {
        this.worked(event.text);
        const { originMs } = from;
        const words = event.words.map((word) => ({
          ...word,
          startMs: word.startMs + originMs,
          endMs: word.endMs + originMs,
        }));
        this.settled(event.endMs + originMs);
        const [startMs, endMs] = [event.startMs + originMs, event.endMs + originMs];
        return this.listener.heard({ ...event, words, startMs, endMs });
      }
    }
  }

  private worked(text: string): void {
    if (text === '') return;
    this.mayBeNoise = false;
    this.transcribers.worked();
  }

  private replace(error: Error): void {
    const { current } = this;
    this.current = undefined;
    current?.stream?.close();
    this.listener.error('transcriber_lost', error.message);
    void this.reopen(error);
  }

  private async reopen(error: Error): Promise<void> {
    try {
      try {
        await this.transcribers.failed(error, this.signal);
      } catch (failure) {
        // Every transcriber heard nothing: it may have been no speech.
        if (!(error instanceof LegTimeout && failure instanceof LegsFailed)) throw failure;
        this.mayBeNoise = true;
      }
      await this.open(this.signal);
    } catch (failure) {
      if (!this.signal.aborted) this.listener.failed(failure);
    }
  }
}

/** A retry of a stream that the vendor will refuse is useless. */
function closedError(name: string, { reason, final }: { reason: string; final?: boolean }): Error {
  const message = `${name}: ${reason}`;
  return final ? new ProviderUnavailable(message) : new Error(message);
}
