import { encode, pcmBytes, pcmSamples } from '@app/telephony';
import { resampler, type StreamResampler } from '../../speech/polyphase.js';
import { shortened } from '../socket/server-protocol.js';
import type { ConnectRequest, ProviderEvent, ResponseStatus } from '../voice-provider.js';
import type { GeminiProviderOptions } from './gemini-session.js';

const USUAL_RATE = 24_000;
const MAX_RATE = 48_000;

/** Converts the audio of the model to that of the call. */
export class ModelAudio {
  private stream: { rate: number; resampler: StreamResampler } | undefined;

  constructor(
    private readonly codec: ConnectRequest['codec'],
    private readonly onUnplayable: (reason: string) => void,
  ) {}

  /** Another turn begins. */
  restart(): void {
    this.stream = undefined;
  }

  /** Undefined: audio of this rate cannot be played. */
  converted(base64: string, mimeType: string | undefined): Buffer | undefined {
    const rate = Number(/rate=(\d{4,6})/.exec(mimeType ?? '')?.[1] ?? USUAL_RATE);
    if (this.stream?.rate !== rate) this.stream = this.opened(rate);
    if (!this.stream) return undefined;
    const samples = this.stream.resampler.push(pcmSamples(Buffer.from(base64, 'base64')));
    return this.codec === 'L16' ? pcmBytes(samples) : encode(this.codec, samples);
  }

  private opened(rate: number): { rate: number; resampler: StreamResampler } | undefined {
    const wanted = this.codec === 'L16' ? 16_000 : 8_000;
    if (rate % 8_000 === 0 && rate <= MAX_RATE) return { rate, resampler: resampler(rate, wanted) };
    this.onUnplayable(`The server sends audio of a rate that cannot be played: ${rate}.`);
    return undefined;
  }
}

/** Speaks in the voice of this process, as a response of the provider: the model waits for a tool and says nothing. */
export class LocalFiller {
  private abort: AbortController | undefined;

  constructor(
    private readonly options: Pick<GeminiProviderOptions, 'speech'>,
    private readonly request: ConnectRequest,
    private readonly emit: (event: ProviderEvent) => void,
  ) {}

  get active(): boolean {
    return this.abort !== undefined;
  }

  stop(): void {
    this.abort?.abort();
  }

  async say(text: string, ids: { responseId: string; itemId: string }): Promise<void> {
    const { codec, agent, modality } = this.request;
    const { responseId } = ids;
    const { signal } = (this.abort = new AbortController());
    this.emit({ type: 'response_started', responseId });
    let status: ResponseStatus = 'completed';
    try {
      const sentences = this.options.speech.say(text, { codec, language: agent.language }, signal);
      for await (const { text: sentence, audio } of sentences) {
        this.emit({ type: 'agent_text', ...ids, text: `${sentence} ` });
        if (modality === 'audio') this.emit({ type: 'audio', ...ids, audio });
      }
    } catch (error) {
      status = 'failed';
      this.emit({ type: 'error', code: 'speech_failed', message: shortened(String(error)) });
    }
    this.abort = undefined;
    this.emit({ type: 'response_done', responseId, status: signal.aborted ? 'cancelled' : status });
  }
}
