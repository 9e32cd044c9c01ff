import type { Log } from '@app/common';
import type { G711, MediaPort } from '@app/telephony';
import type { Clock } from './clock.js';
import type { ConversationLog } from './conversation-log.js';
import { Playback, type PlayedItem } from './playback.js';
import type { ProviderLink } from './provider-link.js';
import type {
  ProviderCapabilities,
  ProviderEvent,
  ResponseRequest,
  VoiceConnection,
} from './providers/voice-provider.js';
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

/** The agent's speech: requests responses, plays them and stops at an interruption. */
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

  /** Drops queued audio, and reports the played part to the provider. */
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

/**
 * Requests one response at a time: requesting another while one is active is the most frequent fault of realtime clients.
 * Requests wait in order; several waiting answers become one.
 */
class ResponseQueue {
  private waiting: ResponseRequest[] = [];
  /** Requested, and neither begun nor refused yet. */
  private asked: ResponseRequest | undefined;
  /** The request that the latest response may belong to, until that response is done. */
  private begun: ResponseRequest | undefined;
  private readonly active = new Set<string>();

  constructor(private readonly send: (request: ResponseRequest) => void) {}

  /** A response is requested or generated. */
  get busy(): boolean {
    return this.active.size > 0 || this.asked !== undefined || this.waiting.length > 0;
  }

  /** A requested response has not begun. */
  get awaitsStart(): boolean {
    return this.asked !== undefined;
  }

  request(request: ResponseRequest): void {
    const answersAlready = request.say === undefined && this.waiting.some((other) => other.say === undefined);
    if (!answersAlready) this.waiting.push(request);
    this.next();
  }

  started(responseId: string): void {
    this.active.add(responseId);
    this.begun = this.asked;
    this.asked = undefined;
  }

  done(responseId: string): void {
    this.active.delete(responseId);
    this.begun = undefined;
    this.next();
  }

  /** The provider had begun another response, which seemed to be the requested one: the request is repeated after it. */
  refused(): void {
    const request = this.asked ?? this.begun;
    if (request) this.waiting.unshift(request);
    this.asked = undefined;
    this.begun = undefined;
  }

  /** Drops waiting requests, because the conversation has moved on. */
  clearWaiting(): void {
    this.waiting = [];
  }

  /** Drops everything after the loss of the connection. Returns whether there was anything. */
  reset(): boolean {
    const lost = this.busy;
    this.active.clear();
    this.asked = undefined;
    this.begun = undefined;
    this.waiting = [];
    return lost;
  }

  private next(): void {
    if (this.active.size > 0 || this.asked) return;
    this.asked = this.waiting.shift();
    if (this.asked) this.send(this.asked);
  }
}

/** The responses that are generated, with their items; dropped responses are not played any more. */
class ActiveResponses {
  private readonly itemsOf = new Map<string, Set<string>>();
  private readonly dropped = new Set<string>();

  start(responseId: string): void {
    this.itemsOf.set(responseId, new Set());
  }

  /** Late audio of the response is not played. */
  drop(responseId: string): void {
    this.dropped.add(responseId);
  }

  /** Returns whether a response was active. */
  dropAll(): boolean {
    for (const responseId of this.itemsOf.keys()) this.dropped.add(responseId);
    return this.itemsOf.size > 0;
  }

  isDropped(responseId: string): boolean {
    return this.dropped.has(responseId);
  }

  add(responseId: string, itemId: string): void {
    this.itemsOf.get(responseId)?.add(itemId);
  }

  /** Removes the response; returns its items unless it was dropped. */
  done(responseId: string): string[] {
    const items = [...(this.itemsOf.get(responseId) ?? [])];
    this.itemsOf.delete(responseId);
    return this.dropped.delete(responseId) ? [] : items;
  }

  isActive(responseId: string): boolean {
    return this.itemsOf.has(responseId);
  }

  /** Removes all responses; returns the items of those that were not dropped. */
  clear(): string[] {
    const heard = [...this.itemsOf].filter(([responseId]) => !this.dropped.has(responseId));
    this.itemsOf.clear();
    this.dropped.clear();
    return heard.flatMap(([, items]) => [...items]);
  }
}
