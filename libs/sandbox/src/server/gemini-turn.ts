import { delay } from '@app/telephony';
import { sentencesOf, type Speech } from '@app/voice';
import { type ClientConnection, type TokenCount } from './conversation-items.js';
import type { ConnectionFaults } from './faults.js';
import type { GeminiServerMessage } from './gemini-messages.js';
import { encoded, Pace } from './input-audio.js';
import { newId } from './response-run.js';
import type { Reply, ToolRequest } from './scripted-agent.js';

const CHUNK_MS = 200;
const BYTES_PER_MS = 48;
const MIME_TYPE = 'audio/pcm;rate=24000';
const LATE_CHUNKS = 3;

interface TurnParts {
  send: (message: GeminiServerMessage) => void;
  connection: ClientConnection;
  speech: Speech;
  tokens: TokenCount;
  faults: ConnectionFaults;
}

interface TurnSettings {
  modality: 'AUDIO' | 'TEXT';
  language: string | undefined;
  transcribes: boolean;
}

/** A called function, with its id. */
export interface FunctionCalled extends ToolRequest {
  id: string;
}

/** One turn of the model: it speaks, then calls functions. Without calls it ends when its audio has been played, as with the service. */
export class GeminiTurn {
  private readonly stopping = new AbortController();
  private audioMs = 0;
  private startedAt = 0;
  private lastChunk: Buffer | undefined;

  constructor(
    private readonly settings: TurnSettings,
    private readonly parts: TurnParts,
  ) {}

  get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Ends the turn without further messages; late chunks that were in transit still arrive. */
  stop(): void {
    this.stopping.abort();
    const { faults } = this.parts;
    if (!faults.sendsLateDeltas || !this.lastChunk) return;
    for (let i = 0; i < LATE_CHUNKS; i++) this.sendAudio(this.lastChunk);
  }

  /** Returns the called functions. */
  async run({ say, calls }: Reply): Promise<FunctionCalled[]> {
    this.parts.faults.responseStarts();
    this.startedAt = performance.now();
    if (say !== '') await (this.settings.modality === 'TEXT' ? this.write(say) : this.talk(say));
    if (this.isStopped) return [];
    if (calls.length > 0) return this.call(calls);
    this.parts.send({ serverContent: { generationComplete: true } });
    const unplayedMs = this.audioMs - (performance.now() - this.startedAt);
    if (unplayedMs > 0) await delay(unplayedMs, this.stopping.signal);
    if (!this.isStopped) this.end();
    return [];
  }

  private end(): void {
    this.parts.send({ serverContent: { turnComplete: true }, usageMetadata: this.usage() });
  }

  private async write(text: string): Promise<void> {
    const { faults, send, tokens } = this.parts;
    await delay(faults.audioDelayMs, this.stopping.signal);
    for (const [index, sentence] of sentencesOf(text).entries()) {
      if (this.isStopped) return;
      const part = { text: index > 0 ? ` ${sentence}` : sentence };
      tokens.saidText(part.text);
      send({ serverContent: { modelTurn: { role: 'model', parts: [part] } } });
    }
  }

  private async talk(text: string): Promise<void> {
    const { speech, connection, faults, tokens, send } = this.parts;
    const { signal } = this.stopping;
    await delay(faults.audioDelayMs, signal);
    const pace = new Pace(connection, signal);
    let isFirst = true;
    for await (const { text: sentence, samples } of speech.samples(text, this.settings.language, signal)) {
      const audio = await encoded(samples, { type: 'audio/pcm' });
      if (signal.aborted) return;
      const words = isFirst ? sentence : ` ${sentence}`;
      isFirst = false;
      if (this.settings.transcribes) send({ serverContent: { outputTranscription: { text: words } } });
      for (let at = 0; at < audio.length; at += CHUNK_MS * BYTES_PER_MS) {
        await pace.until(this.audioMs);
        if (signal.aborted) return;
        const chunk = audio.subarray(at, at + CHUNK_MS * BYTES_PER_MS);
        this.lastChunk = chunk;
        this.sendAudio(chunk);
        this.audioMs += chunk.length / BYTES_PER_MS;
        tokens.saidAudio(chunk.length / BYTES_PER_MS);
        faults.audioSent(this.audioMs);
      }
    }
  }

  private sendAudio(chunk: Buffer): void {
    const inlineData = { mimeType: MIME_TYPE, data: chunk.toString('base64') };
    this.parts.send({ serverContent: { modelTurn: { role: 'model', parts: [{ inlineData }] } } });
  }

  private call(requests: ToolRequest[]): FunctionCalled[] {
    const calls = requests.map((request) => ({ ...request, id: newId('function-call') }));
    for (const { name, arguments: args } of calls) this.parts.tokens.saidText(name + JSON.stringify(args));
    const functionCalls = calls.map(({ id, name, arguments: args }) => ({ id, name, args }));
    this.parts.send({ toolCall: { functionCalls }, usageMetadata: this.usage() });
    return calls;
  }

  /** In the names of the service; its prompt includes what it has cached. */
  private usage(): GeminiServerMessage['usageMetadata'] {
    const bill = this.parts.tokens.bill();
    const {
      text_tokens: text = 0,
      audio_tokens: audio = 0,
      cached_tokens: cached = 0,
    } = bill.input_token_details ?? {};
    const { text_tokens: cachedText = 0, audio_tokens: cachedAudio = 0 } =
      bill.input_token_details?.cached_tokens_details ?? {};
    const { text_tokens: saidText = 0, audio_tokens: saidAudio = 0 } = bill.output_token_details ?? {};
    return {
      promptTokenCount: text + audio,
      promptTokensDetails: modalities(text, audio),
      ...(cached > 0
        ? { cachedContentTokenCount: cached, cacheTokensDetails: modalities(cachedText, cachedAudio) }
        : {}),
      responseTokenCount: saidText + saidAudio,
      responseTokensDetails: modalities(saidText, saidAudio),
      totalTokenCount: text + audio + saidText + saidAudio,
    };
  }
}

const modalities = (text: number, audio: number) =>
  [
    { modality: 'TEXT' as never, tokenCount: text },
    { modality: 'AUDIO' as never, tokenCount: audio },
  ].filter(({ tokenCount }) => tokenCount > 0);
