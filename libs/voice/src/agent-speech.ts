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

/** An agent that is spoken over is still there, at a quarter of its level. */
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

/** What the agent says: asked for, generated, queued and heard, or cut off when somebody speaks over it. */
export class AgentSpeech {
  private readonly playback: Playback;
  private readonly own: LocalSpeech;
  private readonly turns: ResponseQueue;
  private readonly responses = new ActiveResponses();
  /** Sentences of our own that are being made. */
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

  /** Something is being played. */
  get plays(): boolean {
    return this.playback.busy;
  }

  /** A response is being generated or has been asked for. */
  get generates(): boolean {
    return this.turns.busy;
  }

  /** Something will be said that is not in the queue yet. */
  get prepares(): boolean {
    return this.turns.busy || this.making > 0;
  }

  /** A response of ours has been asked for and has not begun. */
  get awaitsStart(): boolean {
    return this.turns.awaitsStart;
  }

  request(request: ResponseRequest): void {
    this.turns.request(request);
  }

  /** What waits to be asked for is not said any more. */
  clearWaiting(): void {
    this.turns.clearWaiting();
  }

  isGenerating(responseId: string): boolean {
    return this.responses.isActive(responseId);
  }

  /** Takes a response that has begun; one that is not `welcome` is not heard. */
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

  /** Returns whether it will be heard. */
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

  /** Drops what was not heard yet, and tells the provider how much was. */
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

  /** The call is over. */
  close(): void {
    this.playback.interrupt();
  }

  /** Nothing more comes of what was being generated; what there is of it is heard to its end. Returns whether there was any. */
  connectionLost(): boolean {
    for (const itemId of this.responses.clear()) this.completed(itemId);
    return this.turns.reset();
  }

  /** In our own voice, because there is no provider. Resolves when it is queued. */
  async say(text: string): Promise<void> {
    const { settings, media, signal, log } = this.options;
    this.making++;
    try {
      if (settings.modality === 'text') this.options.conversationLog.textTurn('agent', text);
      else await this.own.say(text, media.codec, settings.agent.language, signal);
    } catch (err) {
      log.error({ err }, 'session could not speak');
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

/** What the session says by itself, beside the provider. */
class LocalSpeech {
  private count = 0;

  constructor(
    private readonly speech: Speech,
    private readonly playback: Playback,
    private readonly conversationLog: ConversationLog,
  ) {}

  /** Queues the whole text; resolves when it is queued, or early when it was stopped. */
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

  /** Does not queue what is still to come of a text. */
  stop(): void {
    this.count++;
  }

  said(itemId: string): boolean {
    return itemId.startsWith(PREFIX);
  }
}

/** Tells a provider, as far as its protocol lets us, that its speech was cut off and how much of it was heard. */
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
