import type { Log } from '@app/common';
import type { G711, MediaPort } from '@app/telephony';
import type { Clock } from '../clock.js';
import type { ConversationLog } from './conversation-log.js';
import { Playback, type PlayedItem } from './playback.js';
import type { ProviderLink } from '../provider-link/provider-link.js';
import { saidForYou } from '../providers/realtime-wording.js';
import type {
  ProviderCapabilities,
  ProviderEvent,
  ResponseRequest,
  VoiceConnection,
} from '../providers/voice-provider.js';
import { ActiveResponses, ResponseQueue } from './response-queue.js';
import type { ExactWords } from '../session-command.js';
import type { SessionFact } from '../session-events.js';
import type { SessionSettings } from '../session-options.js';
import { ComfortTimer } from './session-timers.js';
import type { Speech } from '../speech/speech.js';
import type { ToolSound } from '../tools/tool-sound.js';
import type { TurnLatencies } from '../transcript/turn-latency.js';

/** Attenuation of an agent that the user speaks over: a quarter of its level. */
const DUCKED_DB = 12;

interface AgentSpeechOptions {
  settings: SessionSettings;
  media: MediaPort;
  clock: Clock;
  speech: Speech;
  link: Pick<ProviderLink, 'connection' | 'provider' | 'codec'>;
  conversationLog: ConversationLog;
  latencies: TurnLatencies;
  /** Ends with the first word. */
  sound: ToolSound | undefined;
  log: Pick<Log, 'error'>;
  /** Aborts when the call ends. */
  signal: AbortSignal;
  /** The user waits unusually long for the provider. */
  onDelay(): void;
}

/** The agent's speech: requests responses, plays them and stops at an interruption. */
export class AgentSpeech {
  private readonly playback: Playback;
  private readonly own: LocalSpeech;
  private readonly turns: ResponseQueue;
  private readonly responses = new ActiveResponses();
  /** The items of audio with exact words. */
  private readonly wordsOf = new Map<string, ExactWords>();
  private readonly comfort: ComfortTimer;
  /** Sentences that are synthesised locally at the moment. */
  private making = 0;

  constructor(private readonly options: AgentSpeechOptions) {
    const { media, clock, conversationLog, speech, link } = options;
    this.playback = new Playback(media, clock, {
      begins: () => this.options.sound?.stop(),
      started: (itemId, startedAt) => conversationLog.agentStarted(itemId, startedAt),
      ended: (item) => this.itemEnded(item),
    });
    this.own = new LocalSpeech(speech, this.playback, conversationLog);
    this.comfort = new ComfortTimer(clock, () => this.options.onDelay());
    this.turns = new ResponseQueue((request) => link.connection?.createResponse(request));
  }

  /** Audio is queued or played. */
  get isPlaying(): boolean {
    return this.playback.busy;
  }

  progressOf(itemId: string): Pick<PlayedItem, 'playedMs' | 'generatedMs'> {
    return this.playback.progressOf(itemId);
  }

  /** A response is requested or generated. */
  get isGenerating(): boolean {
    return this.turns.busy;
  }

  /** Speech is requested, generated or synthesised that is not in the queue yet. */
  get isPreparing(): boolean {
    return this.turns.busy || this.making > 0;
  }

  /** A requested response has not begun. */
  get isAwaitingStart(): boolean {
    return this.turns.awaitsStart;
  }

  /** The requested response speaks the words of a command. */
  get isAwaitingWords(): boolean {
    return this.turns.awaitsWords;
  }

  request(request: ResponseRequest): void {
    this.turns.request(request);
  }

  /** Speaks words that answer nothing, after a silence. */
  prompt(text: string): void {
    this.options.latencies.unanswered();
    this.request({ say: text });
  }

  /**
   * Speaks exact words once: by the provider when it speaks given words, otherwise by the local voice. `words` gets the items of the audio
   * and its end.
   */
  sayExactly(words: ExactWords): void {
    const { link, settings } = this.options;
    const { connection, provider } = link;
    const isLocal = settings.modality === 'text' || words.language !== undefined;
    if (connection && provider.capabilities.speaksGivenWords !== false && !isLocal)
      this.turns.request({ say: words.text, words });
    else void this.sayLocally(words);
  }

  /** Drops the requests that wait for the active response, except for exact words. */
  clearWaiting(): void {
    this.turns.clearWaiting();
  }

  /** The response is generated. */
  isActive(responseId: string): boolean {
    return this.responses.isActive(responseId);
  }

  /** Registers a response that has begun; one that is not to be played is dropped. */
  started(responseId: string, isPlayed: boolean): void {
    if (isPlayed) {
      this.turns.started(responseId);
      this.responses.start(responseId, this.turns.wordsOf(responseId));
      return;
    }
    this.drop(responseId);
  }

  /** `isPlayed`: another response than the requested one may be played. */
  refused(isPlayed: boolean): void {
    const other = this.turns.refused();
    if (other === undefined) return;
    for (const itemId of this.responses.withoutWords(other)) {
      this.wordsOf.get(itemId)?.forget(itemId);
      this.wordsOf.delete(itemId);
    }
    if (!isPlayed) this.stop('command');
  }

  /** Returns whether the audio will be played. */
  play({ responseId, itemId, audio }: Extract<ProviderEvent, { type: 'audio' }>): boolean {
    if (this.responses.isDropped(responseId)) return false;
    this.responses.add(responseId, itemId);
    const words = this.responses.wordsOf(responseId);
    // The words of a command are not an answer to the user.
    if (!this.playback.has(itemId) && words?.commandId === undefined)
      this.options.latencies.firstAudio(responseId, itemId);
    this.wordsBegin(itemId, words);
    this.playback.append(itemId, audio, this.options.link.codec);
    this.comfort.close();
    return true;
  }

  text({ responseId, itemId, text }: Extract<ProviderEvent, { type: 'agent_text' }>): void {
    if (this.responses.isDropped(responseId)) return;
    this.responses.add(responseId, itemId);
    this.options.conversationLog.agentText(itemId, text);
  }

  /** The request to repeat after this response has failed; to be called before `done`. Undefined: nothing is missing. */
  unsaid(responseId: string): ResponseRequest | undefined {
    // Exact words are repeated by the local voice.
    if (!this.responses.isActive(responseId) || this.responses.isDropped(responseId)) return undefined;
    if (this.responses.wordsOf(responseId)) return undefined;
    const { say } = this.turns.requestOf(responseId) ?? {};
    // Words that were heard in part are not said from their beginning again.
    const isHeard = this.responses.itemsIn(responseId).some((itemId) => this.playback.has(itemId));
    return say === undefined ? {} : isHeard ? undefined : { say };
  }

  done(responseId: string): void {
    const words = this.responses.wordsOf(responseId);
    for (const itemId of this.responses.done(responseId)) this.completed(itemId);
    if (words) this.wordsGenerated(words);
    this.turns.done(responseId);
  }

  duck(isOn: boolean): void {
    this.options.media.attenuate(isOn ? DUCKED_DB : 0);
  }

  /** The audio is held back until it continues or is dropped. */
  get isHeld(): boolean {
    return this.playback.isPaused;
  }

  hold(): void {
    this.playback.pause();
  }

  /** Continues held audio where it stopped. */
  continue(): void {
    this.playback.resume();
  }

  /** Drops queued audio, and reports the played part to the provider. */
  stop(by: Extract<SessionFact, { type: 'interrupted' }>['by']): void {
    const { link, conversationLog } = this.options;
    for (const words of this.responses.allWords()) words.cut();
    const items = this.playback.interrupt();
    const generating = this.responses.dropAll();
    this.own.stop();
    this.turns.clearWaiting();
    const theirs = items.filter((item) => !this.own.said(item.itemId));
    if (link.connection) reportInterruption(link.connection, link.provider.capabilities, theirs, generating);
    conversationLog.write({ type: 'interrupted', by, played_ms: items.reduce((sum, item) => sum + item.playedMs, 0) });
  }

  /** The generated responses end here; their queued audio is still played. */
  endEarly(): void {
    const { connection, provider } = this.options.link;
    for (const itemId of this.responses.cutAll()) this.completed(itemId);
    this.turns.clearWaiting();
    if (provider.capabilities.cancel) connection?.cancelResponse();
  }

  /** The response speaks given words, not those of the model. */
  isGiven(responseId: string): boolean {
    return this.turns.requestOf(responseId)?.say !== undefined;
  }

  /** Measures how long the user waits for the provider; a pipeline does that itself. To be called every 20 ms. */
  checkDelay(userSpeaks: boolean): void {
    const { settings, link, clock, media } = this.options;
    const isMeasured = settings.modality === 'text' || link.provider.capabilities.reportsDelays;
    if (this.turns.busy && !userSpeaks && !isMeasured) this.comfort.expect(clock.now() + media.queuedMs);
    else this.comfort.close();
  }

  /** To be called at the end of the call. */
  close(): void {
    this.comfort.close();
    this.playback.interrupt();
  }

  /** Drops unfinished responses; their queued audio is still played. Returns whether there were any. */
  connectionLost(): boolean {
    const begun = this.responses.allWords();
    for (const itemId of this.responses.clear()) this.completed(itemId);
    for (const words of begun) this.wordsGenerated(words);
    const { lost, words } = this.turns.reset();
    for (const one of words) if (!begun.includes(one)) void this.sayLocally(one);
    return lost;
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

  /** Exact words by the local voice. The provider gets a note about them. */
  private async sayLocally(words: ExactWords): Promise<void> {
    const { settings, media, signal, log, link, conversationLog } = this.options;
    this.making++;
    try {
      const language = words.language ?? settings.agent.language;
      const begins = (itemId: string): void => this.wordsBegin(itemId, words);
      if (settings.modality === 'text') {
        conversationLog.textTurn('agent', words.text);
        words.generated();
      } else if (await this.own.say(words.text, media.codec, language, signal, begins)) words.generated();
      else words.cut();
      link.connection?.sendText(saidForYou(words.text), 'system');
    } catch (err) {
      log.error({ err }, 'local speech failed');
      words.fail('speech_failed', 'The words could not be synthesised.');
    } finally {
      this.making--;
    }
  }

  private wordsBegin(itemId: string, words: ExactWords | undefined): void {
    if (!words || this.wordsOf.has(itemId)) return;
    this.wordsOf.set(itemId, words);
    words.begins(itemId);
  }

  /** An empty or failed response is repeated by the local voice. */
  private wordsGenerated(words: ExactWords): void {
    if (words.isUnsaid) void this.sayLocally(words);
    else words.generated();
  }

  private itemEnded(item: PlayedItem): void {
    const words = this.wordsOf.get(item.itemId);
    this.wordsOf.delete(item.itemId);
    const { conversationLog, latencies } = this.options;
    const latency = latencies.of(item, this.own.said(item.itemId), (time) => conversationLog.at(time));
    const heard = conversationLog.agentEnded(item, { commandId: words?.commandId, latency });
    words?.ended(item, heard);
  }

  private drop(responseId: string): void {
    const { connection, provider } = this.options.link;
    this.options.latencies.unanswered();
    this.responses.drop(responseId);
    if (provider.capabilities.cancel) connection?.cancelResponse();
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

  /** Queues the whole text; resolves when it is queued, or with false early after `stop`. */
  async say(
    text: string,
    codec: G711,
    language: string | undefined,
    signal: AbortSignal,
    begins?: (itemId: string) => void,
  ): Promise<boolean> {
    const turn = ++this.count;
    const itemId = PREFIX + turn;
    for await (const sentence of this.speech.say(text, { codec, language }, signal)) {
      if (turn !== this.count) return false;
      begins?.(itemId);
      this.conversationLog.agentText(itemId, `${sentence.text} `);
      this.playback.append(itemId, sentence.audio);
    }
    this.playback.complete(itemId);
    return true;
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
