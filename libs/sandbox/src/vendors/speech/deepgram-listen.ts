import type { listen } from '@deepgram/sdk';
import { createHash, randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Script } from '../../server/script.js';
import { faultRefusal, refusal, wrongKey } from './deepgram-refusals.js';
import type { Conversation, SocketEmulator } from '../emulator.js';
import { type HeardWord, Hearing, type HearingEvent, type HearingFormat } from './hearing.js';
import { LegConnection } from '../leg-connection.js';
import type { LegFaults } from '../leg-faults.js';

/** The vendor closes a stream without a message for so long. */
const IDLE_MS = 10_000;
/** During silence, an empty part is final after so much audio. */
const SILENT_PART_MS = 5_000;
const DEFAULT_ENDPOINTING_MS = 10;
const MIN_UTTERANCE_END_MS = 1_000;
const NORMAL = 1000;
const POLICY = 1008;
const INTERNAL = 1011;

/** Live transcription of Deepgram: `/v1/listen`. */
export const deepgramListen: SocketEmulator = {
  serves: ({ pathname }) => pathname === '/v1/listen',

  open(request, { searchParams }, services) {
    if (!services.isKnown(request)) return wrongKey();
    const options = optionsOf(searchParams);
    if (typeof options === 'string') return refusal(400, 'Bad Request', `Bad Request: ${options}`);
    const leg = services.scripts.openLeg(options.model, 'transcriber');
    if (!leg) return refusal(400, 'Bad Request', 'Bad Request: No such model/language/tier combination found.');
    const { refusal: refused } = leg.faults;
    if (refused) return faultRefusal(refused);
    return (socket) => new ListenConversation(socket, options, leg);
  },
};

interface ListenOptions {
  model: string;
  format: HearingFormat;
  language: string;
  interim: boolean;
  punctuate: boolean;
  vadEvents: boolean;
  /** Undefined: no endpointing. */
  endpointingMs: number | undefined;
  utteranceEndMs: number | undefined;
}

const CODECS: Record<string, HearingFormat['codec']> = { mulaw: 'PCMU', alaw: 'PCMA', linear16: 'PCM' };

/** A string: why the vendor refuses the request. */
function optionsOf(query: URLSearchParams): ListenOptions | string {
  const model = query.get('model') ?? 'base';
  const codec = CODECS[query.get('encoding') ?? ''];
  const rate = Number(query.get('sample_rate'));
  if (!codec) return 'The sandbox takes the encodings mulaw, alaw and linear16.';
  if (!(rate > 0 && rate % 8_000 === 0 && (codec === 'PCM' || rate === 8_000)))
    return 'The sandbox takes 8000 Hz, or linear16 at a multiple of it.';
  if (model.startsWith('nova-3') && query.has('keywords'))
    return 'Keywords are not supported for Nova-3 models. Please use keyterm instead.';
  if (!model.startsWith('nova-3') && query.has('keyterm') && !isScript(model))
    return 'Keyterms are only supported for Nova-3 models.';
  const interim = query.get('interim_results') === 'true';
  const utteranceEnd = query.get('utterance_end_ms');
  if (utteranceEnd !== null && !(interim && Number(utteranceEnd) >= MIN_UTTERANCE_END_MS))
    return 'utterance_end_ms needs interim_results=true and at least 1000.';
  const endpointing = query.get('endpointing');
  return {
    model,
    format: { codec, rate },
    language: query.get('language') ?? 'en',
    interim,
    punctuate: query.get('punctuate') === 'true' || query.get('smart_format') === 'true',
    vadEvents: query.get('vad_events') === 'true',
    endpointingMs: endpointing === 'false' ? undefined : Number(endpointing ?? DEFAULT_ENDPOINTING_MS),
    utteranceEndMs: utteranceEnd === null ? undefined : Number(utteranceEnd),
  };
}

const isScript = (model: string): boolean => model.startsWith('script-');

/** One stream of a client. */
class ListenConversation implements Conversation {
  private readonly requestId = randomUUID();
  private readonly createdAt = new Date().toISOString();
  private readonly digest = createHash('sha256');
  private readonly hearing: Hearing;
  private readonly connection: LegConnection;
  private idle: NodeJS.Timeout | undefined;
  /** The end of the last final part. */
  private finalMs = 0;
  /** The end of the last final word that was not followed by UtteranceEnd. */
  private lastWordMs: number | undefined;
  private closed = false;

  constructor(
    socket: WebSocket,
    private readonly options: ListenOptions,
    private readonly leg: { script: Script; faults: LegFaults },
  ) {
    const { script, faults } = leg;
    // Without endpointing, the sandbox still cuts at long pauses.
    this.hearing = new Hearing(options.format, script.legs?.hears ?? [], options.endpointingMs ?? 1_000);
    this.connection = new LegConnection(socket, faults, '{"type":"Results","channel":');
  }

  begin(): void {
    this.heardFromClient();
    this.connection.progressed(0);
  }

  receive(text: string): void {
    if (this.closed) return;
    this.heardFromClient();
    switch (typeOf(text)) {
      case 'KeepAlive':
        return;
      case 'Finalize':
        return this.finalize();
      case 'CloseStream':
        return this.finish();
      default:
        this.closed = true;
        this.connection.close(POLICY, 'DATA-0000: The payload cannot be decoded as a control message.');
    }
  }

  receiveBinary(audio: Buffer): void {
    if (this.closed) return;
    // Before CloseStream existed, an empty message ended the stream.
    if (audio.length === 0) return this.finish();
    this.heardFromClient();
    this.digest.update(audio);
    this.hearing.push(audio, (event) => {
      this.connection.progressed(this.hearing.audioMs);
      if (event) this.heard(event);
      this.silence();
    });
  }

  close(): void {
    this.closed = true;
    clearTimeout(this.idle);
    this.connection.ended();
  }

  private heard(event: HearingEvent): void {
    const { interim, vadEvents, endpointingMs } = this.options;
    if (event.type === 'started') {
      this.lastWordMs = undefined;
      if (vadEvents) this.connection.send({ type: 'SpeechStarted', channel: [0], timestamp: event.atMs / 1_000 });
    } else if (event.type === 'interim') {
      if (interim) this.results(event.words, {});
    } else {
      this.lastWordMs = event.words.at(-1)?.endMs;
      this.results(event.words, { is_final: true, speech_final: endpointingMs !== undefined });
    }
  }

  /** What the vendor sends while the user is silent. */
  private silence(): void {
    const { audioMs, isSpeaking } = this.hearing;
    const { utteranceEndMs } = this.options;
    if (isSpeaking) return;
    if (utteranceEndMs !== undefined && this.lastWordMs !== undefined && audioMs - this.lastWordMs >= utteranceEndMs) {
      this.connection.send({ type: 'UtteranceEnd', channel: [0, 1], last_word_end: this.lastWordMs / 1_000 });
      this.lastWordMs = undefined;
    }
    if (audioMs - this.finalMs >= SILENT_PART_MS) this.results([], { is_final: true });
  }

  private finalize(): void {
    const words = this.hearing.flush();
    if (this.hearing.audioMs > this.finalMs) this.results(words, { is_final: true, from_finalize: true });
  }

  private finish(): void {
    this.closed = true;
    const words = this.hearing.flush();
    if (words.length > 0) this.results(words, { is_final: true });
    const metadata: listen.ListenV1Metadata = {
      type: 'Metadata',
      transaction_key: 'deprecated',
      request_id: this.requestId,
      sha256: this.digest.digest('hex'),
      created: this.createdAt,
      duration: this.hearing.audioMs / 1_000,
      channels: 1,
    };
    this.connection.send(metadata);
    this.connection.close(NORMAL);
  }

  private results(words: readonly HeardWord[], flags: Partial<listen.ListenV1Results>): void {
    const { audioMs } = this.hearing;
    const result: listen.ListenV1Results = {
      type: 'Results',
      channel_index: [0, 1],
      duration: (audioMs - this.finalMs) / 1_000,
      start: this.finalMs / 1_000,
      is_final: false,
      speech_final: false,
      from_finalize: false,
      channel: { alternatives: [this.alternative(words)] },
      metadata: {
        request_id: this.requestId,
        model_info: { name: this.options.model, version: '2026-11-01.0', arch: 'sandbox' },
        model_uuid: this.requestId,
      },
      ...flags,
    };
    if (result.is_final) this.finalMs = audioMs;
    this.connection.sendResult(result);
  }

  private alternative(heard: readonly HeardWord[]): listen.ListenV1Results.Channel.Alternatives.Item {
    const { punctuate, language } = this.options;
    const languages = language === 'multi' ? [this.leg.script.agent.language?.split('-')[0] ?? 'en'] : undefined;
    const words = heard.map(({ text, startMs, endMs }) => ({
      word: bare(text),
      start: startMs / 1_000,
      end: endMs / 1_000,
      confidence: 0.99,
      ...(languages ? { language: languages[0] } : {}),
      ...(punctuate ? { punctuated_word: text } : {}),
    }));
    const transcript = words.map((word) => word.punctuated_word ?? word.word).join(' ');
    return { transcript, confidence: words.length > 0 ? 0.99 : 0, ...(languages ? { languages } : {}), words };
  }

  private heardFromClient(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      this.closed = true;
      const reason = 'Deepgram did not receive audio data or a text message within the timeout window. (NET-0001)';
      this.connection.close(INTERNAL, reason);
    }, IDLE_MS);
  }
}

/** A word without formatting. */
const bare = (text: string): string => text.toLowerCase().replace(/^[\p{P}]+|[\p{P}]+$/gu, '');

function typeOf(json: string): unknown {
  try {
    return (JSON.parse(json) as { type?: unknown } | null)?.type;
  } catch {
    return undefined;
  }
}
