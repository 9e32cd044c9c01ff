import type { Log } from '@app/common';
import type { MediaPort, G711 } from '@app/telephony';
import type { Clock } from './clock.js';
import type { ConversationLog } from './conversation-log.js';
import { Playback, type PlayedItem } from './playback.js';
import type { ProviderLink } from './provider-link.js';
import type {
  ProviderEvent,
  ResponseRequest,
  ProviderCapabilities,
  VoiceConnection,
} from './providers/voice-provider.js';
import { ActiveResponses, ResponseQueue } from './response-queue.js';
import type { SessionSettings } from './session-options.js';
import type { Speech } from './speech/speech.js';

/** Attenuation of an agent that the user speaks over: a quarter of its level. */
const DUCKED_DB = 12;

interface AgentSpeechOptions {
  settings: SessionSettings;
  media: MediaPort;
  clock: Clock;
  speech: Speech;
  link: Pick<ProviderLink, 'connection' | 'provider'>;
  conversationLog: ConversationLog;
  log: Pick<Log, 'error'>;
  /** Aborts when the call ends. */
  signal: AbortSignal;
}

/** The agent's speech: requests responses, plays them and cuts them off at an interruption. */
export class AgentSpeech {
  private readonly playback: Playback;
  private readonly own: LocalSpeech;
  private readonly turns: ResponseQueue;
  private readonly responses = new ActiveResponses();
  /** Sentences that are synthesised locally at the moment. */
  private making = 0;

  constructor(private readonly options: AgentSpeechOptions) {
    const { media, clock, conversationLog, speech, link } = options;
    this.playback = new Playback(media, clock, {
      started: (itemId, startedAt) => conversationLog.agentStarted(itemId, startedAt),
      ended: (item) => conversationLog.agentEnded(item),
    });
    this.own = new LocalSpeech(speech, this.playback, conversationLog);
    this.turns = new ResponseQueue((request) => link.connection?.createResponse(request));
  }

  /** Audio is queued or played. */
  get plays(): boolean {
    return this.playback.busy;
  }

  /** A response is requested or generated. */
  get generates(): boolean {
    return this.turns.busy;
  }

  /** Speech is requested, generated or synthesised that is not in the queue yet. */
  get prepares(): boolean {
    return this.turns.busy || this.making > 0;
  }

  /** A requested response has not begun. */
  get awaitsStart(): boolean {
    return this.turns.awaitsStart;
  }

  request(request: ResponseRequest): void {
    this.turns.request(request);
  }

  /** Drops the requests that wait for the active response. */
  clearWaiting(): void {
    this.turns.clearWaiting();
  }

  isGenerating(responseId: string): boolean {
    return this.responses.isActive(responseId);
  }

  /** Registers a response that has begun; one that is not `welcome` is not played. */
  started(responseId: string, welcome: boolean): void {
    if (welcome) {
      this.responses.start(responseId);
      this.turns.started(responseId);
      return;
    }
    const { connection, provider } = this.options.link;
    this.responses.drop(responseId);
    if (provider.capabilities.cancel) connection?.cancelResponse();
  }

  refused(): void {
    this.turns.refused();
  }

  /** Returns whether the audio will be played. */
  play({ responseId, itemId, audio }: Extract<ProviderEvent, { type: 'audio' }>): boolean {
    if (this.responses.isDropped(responseId)) return false;
    this.responses.add(responseId, itemId);
    this.playback.append(itemId, audio);
    return true;
  }

  text({ responseId, itemId, text }: Extract<ProviderEvent, { type: 'agent_text' }>): void {
    if (this.responses.isDropped(responseId)) return;
    this.responses.add(responseId, itemId);
    this.options.conversationLog.agentText(itemId, text);
  }

  done(responseId: string): void {
    for (const itemId of this.responses.done(responseId)) this.completed(itemId);
    this.turns.done(responseId);
  }

  duck(isOn: boolean): void {
    this.options.media.attenuate(isOn ? DUCKED_DB : 0);
  }

  /** Drops queued audio, and tells the provider how much of it was played. */
  stop(by: 'speech' | 'dtmf' | 'provider' | 'machine'): void {
    const { link, conversationLog } = this.options;
    const items = this.playback.interrupt();
    const generating = this.responses.dropAll();
    this.own.stop();
    this.turns.clearWaiting();
    const theirs = items.filter((item) => !this.own.said(item.itemId));
    if (link.connection) reportInterruption(link.connection, link.provider.capabilities, theirs, generating);
    conversationLog.write({ type: 'interrupted', by, played_ms: items.reduce((sum, item) => sum + item.playedMs, 0) });
  }

  /** To be called at the end of the call. */
  close(): void {
    this.playback.interrupt();
  }

  /** Drops unfinished responses; their queued audio is still played. Returns whether there were any. */
  connectionLost(): boolean {
    for (const itemId of this.responses.clear()) this.completed(itemId);
    return this.turns.reset();
  }

  /** Synthesises a text locally, without the provider. Resolves when it is queued. */
  async say(text: string): Promise<void> {
    const { settings, media, signal, log } = this.options;
    this.making++;
    try {
      if (settings.modality === 'text') this.options.conversationLog.textTurn('agent', text);
      else await this.own.say(text, media.codec, settings.agent.language, signal);
    } catch (err) {
      log.error({ err }, 'local speech failed');
    } finally {
      this.making--;
    }
  }

  private completed(itemId: string): void {
    if (this.options.settings.modality === 'text') this.options.conversationLog.agentItemWritten(itemId);
    else this.playback.complete(itemId);
  }
}

const PREFIX = 'own-';

/** Speech that is synthesised locally, beside the provider's. */
class LocalSpeech {
  private count = 0;

  constructor(
    private readonly speech: Speech,
    private readonly playback: Playback,
    private readonly conversationLog: ConversationLog,
  ) {}

  /** Queues the whole text; resolves when it is queued, or early after `stop`. */
  async say(text: string, codec: G711, language: string | undefined, signal: AbortSignal): Promise<void> {
    const turn = ++this.count;
    const itemId = PREFIX + turn;
    for await (const sentence of this.speech.say(text, { codec, language }, signal)) {
      if (turn !== this.count) return;
      this.conversationLog.agentText(itemId, `${sentence.text} `);
      this.playback.append(itemId, sentence.audio);
    }
    this.playback.complete(itemId);
  }

  /** Drops the sentences that are not queued yet. */
  stop(): void {
    this.count++;
  }

  said(itemId: string): boolean {
    return itemId.startsWith(PREFIX);
  }
}

/** Reports an interruption to the provider, as far as its protocol supports that. */
function reportInterruption(
  connection: VoiceConnection,
  { cancel, truncate }: ProviderCapabilities,
  items: readonly PlayedItem[],
  generating: boolean,
): void {
  if (cancel && generating) connection.cancelResponse();
  if (!truncate) return;
  for (const item of items) if (item.truncated) connection.truncate(item.itemId, item.playedMs);
}
