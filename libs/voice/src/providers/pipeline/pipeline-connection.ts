import { type LineCodec, VoiceActivity } from '@app/telephony';
import { type Clock, withTimeLimit } from '../../clock.js';
import type { SpeechDetector } from '../../hearing/hearing-client.js';
import { ComfortTimer } from '../../conversation/session-timers.js';
import { IMPLAUSIBLE_USAGE, isPlausible, type UsageItem } from '../../usage.js';
import { keysPressed } from '../realtime-wording.js';
import { shorten } from '../socket/server-protocol.js';
import {
  type ConnectRequest,
  type ProviderEvent,
  ProviderUnavailable,
  type ResponseRequest,
  type VoiceConnection,
} from '../voice-provider.js';
import { Acknowledgements, normalise } from './turns/acknowledgements.js';
import { Dialogue } from './dialogue.js';
import { Generation } from './generation.js';
import { type LegChain, LegsFailed } from './legs.js';
import { PartSpeaker, type Phrases } from './speech/part-speaker.js';
import type { PipelineOptions } from './pipeline-options.js';
import { Playhead } from './speech/playhead.js';
import type { LanguageModel, LegAudio, Synthesizer, Transcriber } from './ports.js';
import { PronunciationDictionary } from './speech/pronunciation.js';
import { Response, type ResponseServices } from './response.js';
import { instructionsOf, languagesOf, SpokenLanguage } from './turns/spoken-languages.js';
import { type TranscriptEvent, Transcription } from './turns/transcription.js';
import { turnTimings } from './turns/turn-detector.js';
import { UserSpeech } from './turns/user-speech.js';

/** The legs of one connection. Without audio there is only the model. */
export interface PipelineLegs {
  transcribers?: LegChain<Transcriber>;
  models: LegChain<LanguageModel>;
  synthesizers?: LegChain<Synthesizer>;
  /** Why further legs cannot be used. */
  problems: readonly string[];
}

interface PipelineConnectionParts {
  options: PipelineOptions;
  legs: PipelineLegs;
  clock: Clock;
  /** Fixed phrases that were synthesised already. */
  phrases: Phrases;
  /** Unique within the conversation: items of an earlier connection may still play. */
  nextId: () => number;
}

/** Its audio is kept meanwhile. */
const MAX_OPENING_MS = 1_000;
/** Detects the short words as well; the turn detector measures the silence itself. */
const SPEECH = { startMs: 100, stopMs: 240 };

const legAudio = (codec: LineCodec): LegAudio => (codec === 'L16' ? { codec, rate: 16_000 } : { codec, rate: 8_000 });

/** The ears of a conversation with audio. */
interface Hearing {
  detector: SpeechDetector;
  transcription: Transcription;
  user: UserSpeech;
}

/**
 * One conversation through transcriber, language model and synthesizer. The methods follow a turn: the user is heard, the turn ends, the
 * agent answers.
 */
export class PipelineConnection implements VoiceConnection {
  private readonly aborted = new AbortController();
  private readonly dialogue: Dialogue;
  private readonly playhead: Playhead;
  private readonly language: SpokenLanguage;
  private readonly comfort: ComfortTimer;
  private readonly services: ResponseServices;
  /** Absent: a conversation in text. */
  private readonly hearing: Hearing | undefined;
  /** The response that is generated. */
  private active: Response | undefined;
  /** An answer that the model began before the end of the turn. */
  private ahead: { words: string; generation: Generation } | undefined;
  /** The user has said something that is not answered. */
  private isAnswerOwed = false;
  /** Of the legs; not reported yet. */
  private problems: readonly string[];
  /** Speech is transcribed and not answered. */
  private isListeningOnly = false;
  /** Speech that ended before is not answered, by the clock. */
  private answersSince = -Infinity;
  /** The transcriber was opened. */
  private isListening = false;
  private isClosed = false;

  constructor(
    private readonly parts: PipelineConnectionParts,
    private readonly request: ConnectRequest,
    private readonly onEvent: (event: ProviderEvent) => void,
  ) {
    const { clock, options, legs, phrases } = parts;
    const { agent, tools, history } = request;
    const audio = legAudio(request.codec);
    const onUsage = (items: UsageItem[]): void => this.bill(items);
    this.problems = legs.problems;
    this.dialogue = new Dialogue(history);
    this.playhead = new Playhead(clock);
    this.language = new SpokenLanguage(agent, options);
    this.comfort = new ComfortTimer(clock, () => this.emit({ type: 'delayed' }));
    const dictionary = new PronunciationDictionary(options.pronunciations);
    const { synthesizers, transcribers } = legs;
    this.services = {
      models: legs.models,
      speaker: synthesizers && new PartSpeaker({ synthesizers, dictionary, audio, clock, onUsage }, phrases),
      audio,
      playhead: this.playhead,
      dialogue: this.dialogue,
      clock,
      tools,
      instructions: instructionsOf(agent, options),
      language: this.language,
      emit: (event) => this.emitOfResponse(event),
      onUsage,
      screen: request.screen,
    };
    this.hearing = transcribers && this.hearingOf(transcribers, audio);
  }

  private hearingOf(transcribers: LegChain<Transcriber>, audio: LegAudio): Hearing {
    const { clock, playhead, language } = this;
    const { options, nextId } = this.parts;
    const { request } = this;
    const { agent, codec, history } = request;
    const { turns = {} } = options;
    const languages = languagesOf(agent, options);
    const transcription = new Transcription(
      transcribers,
      { audio, language: agent.language, languages, keywords: options.transcriber?.keywords ?? [] },
      clock,
      {
        heard: (event) => this.heard(event),
        usage: (items) => this.bill(items),
        error: (code, message) => this.emit({ type: 'error', code, message: shorten(message) }),
        failed: (error) => this.failed(error),
      },
      this.aborted.signal,
    );
    const detector = request.detectSpeech?.(SPEECH) ?? new VoiceActivity(codec, SPEECH);
    const user = new UserSpeech(
      {
        voice: detector,
        transcription,
        playhead,
        acknowledgements: new Acknowledgements(languages, turns.acknowledgements),
        language,
        timings: { ...turnTimings(turns), speculates: turns.speculation ?? true },
        clock,
        nextItemId: () => `pipeline-heard-${nextId()}`,
        isNew: history.length === 0,
      },
      {
        emit: (event) => this.emit(event),
        interrupted: () => this.interrupted(),
        words: () => this.wordsHeard(),
        mayAnswer: (text) => this.answerAhead(text),
        turnEnded: (text, since) => this.turnEnded(text, since),
        delayed: (since) => (this.isListeningOnly ? undefined : this.comfort.expect(since)),
      },
    );
    return { detector, transcription, user };
  }

  /** Rejects when no transcriber can be reached. A slow one does not delay the first words of the agent. */
  async open(signal: AbortSignal): Promise<void> {
    // A connection that is charged by its time begins with the first audio, and not while the telephone rings.
    if (!this.hearing || this.parts.legs.transcribers?.leg.billsConnection) return;
    this.isListening = true;
    const opened = this.hearing.transcription.open(AbortSignal.any([signal, this.aborted.signal]));
    try {
      await withTimeLimit<void>(
        this.clock,
        MAX_OPENING_MS,
        signal,
        () => opened,
        () => undefined,
      );
      opened.catch((error: unknown) => this.failed(error));
    } catch (error) {
      this.isClosed = true;
      this.release();
      throw error instanceof LegsFailed ? new ProviderUnavailable(error.message) : error;
    }
  }

  // The user

  sendAudio(frame: Buffer): void {
    if (this.isClosed) return;
    this.hearing?.user.push(frame);
    if (this.isListening) return;
    this.isListening = true;
    this.hearing?.transcription.open(this.aborted.signal).catch((error: unknown) => this.failed(error));
  }

  private heard(event: TranscriptEvent): void {
    this.hearing?.user.heard(event);
  }

  /** The user goes on: an answer that was not heard yet is outdated. */
  private wordsHeard(): void {
    if (this.isListeningOnly) return;
    this.comfort.close();
    this.discardAhead();
    if (this.active?.isAnswer && !this.active.hasEffect) this.cancel();
  }

  /** The session stops its playback and truncates the item in the event. */
  private interrupted(): void {
    this.emit({ type: 'interrupted' });
    this.cancel();
    this.agentStopped();
  }

  /** Its tool calls wait for the end of the turn, because the results of a generation are kept until then. */
  private answerAhead(text: string): void {
    if (this.active || this.isClosed || this.isListeningOnly) return;
    this.discardAhead();
    const { models, tools, instructions, clock, onUsage } = this.services;
    const messages = this.dialogue.messages({ unconfirmed: text });
    const generation = new Generation(models.leg, { instructions, messages, tools }, { clock, onUsage });
    this.ahead = { words: normalise(text), generation };
  }

  private turnEnded(text: string, since: number): void {
    const { ahead } = this;
    const isRight = ahead?.words === normalise(text);
    if (!isRight) this.discardAhead();
    this.dialogue.user(text);
    if (this.isListeningOnly || since <= this.answersSince) return this.discardAhead();
    if (this.active) {
      this.discardAhead();
      this.isAnswerOwed = true;
      return;
    }
    this.ahead = undefined;
    this.answer(since, isRight ? ahead?.generation : undefined);
  }

  sendText(text: string, role: 'user' | 'system'): void {
    this.discardAhead();
    if (role === 'user') this.dialogue.user(text);
    else this.dialogue.system(text);
  }

  sendDigits(digits: string): void {
    this.sendText(keysPressed(digits), 'user');
  }

  /** The next request to the model has them. */
  update({ agent, tools }: Pick<ConnectRequest, 'agent' | 'tools'>): boolean {
    if (agent.language !== this.request.agent.language) return false;
    this.discardAhead();
    this.services.tools = tools;
    this.services.instructions = instructionsOf(agent, this.parts.options);
    return true;
  }

  sendToolResult(toolCallId: string, result: string): void {
    this.discardAhead();
    this.dialogue.resulted(toolCallId, result);
  }

  listenOnly(isOn: boolean): void {
    if (this.isListeningOnly && !isOn) this.answersSince = this.clock.now();
    this.isListeningOnly = isOn;
    this.hearing?.user.agentListens(isOn);
    if (isOn) this.discardAhead();
  }

  // The agent

  createResponse({ say }: ResponseRequest): void {
    if (this.isClosed) return;
    if (this.active) return this.emit({ type: 'response_refused' });
    if (say === undefined) this.answer(this.clock.now());
    else this.begin({ words: say }, this.clock.now());
  }

  private answer(since: number, ahead?: Generation): void {
    this.isAnswerOwed = false;
    if (!ahead) this.discardAhead();
    this.begin({ ahead }, since);
  }

  private begin(content: ConstructorParameters<typeof Response>[2], since: number): void {
    const { problems } = this;
    this.problems = [];
    for (const message of problems) this.emit({ type: 'error', code: 'leg_unavailable', message });
    const id = this.parts.nextId();
    const ids = { responseId: `pipeline-response-${id}`, itemId: `pipeline-said-${id}` };
    const response = new Response(this.services, ids, content);
    this.activate(response);
    if (this.services.speaker) this.comfort.expect(Math.max(since, this.playhead.end));
    this.emit({ type: 'response_started', responseId: ids.responseId });
    // The session may have refused it in the event.
    if (this.active !== response) return;
    response.run().then(
      () => this.finished(response),
      (error: unknown) => this.failed(error),
    );
  }

  private emitOfResponse(event: ProviderEvent): void {
    if (event.type === 'audio' && !this.isClosed) {
      this.comfort.close();
      this.comfort.expect(this.playhead.end);
    }
    this.emit(event);
  }

  private finished(response: Response): void {
    if (this.active !== response) return;
    this.activate(undefined);
    this.comfort.close();
    this.emit({ type: 'response_done', responseId: response.ids.responseId, status: 'completed' });
    // The session may have requested the next one in the event.
    if (this.isAnswerOwed && !this.active && !this.isClosed) this.answer(this.clock.now());
  }

  cancelResponse(): void {
    this.cancel();
  }

  truncate(itemId: string, playedMs: number): void {
    this.dialogue.truncate(itemId, playedMs);
    this.agentStopped();
    if (this.active?.ids.itemId === itemId) this.cancel();
  }

  private cancel(): void {
    const { active } = this;
    if (!active) return;
    this.activate(undefined);
    this.comfort.close();
    active.cancel();
    const { responseId } = active.ids;
    // The session is still busy with the interruption.
    queueMicrotask(() => this.emit({ type: 'response_done', responseId, status: 'cancelled' }));
  }

  private agentStopped(): void {
    this.playhead.cut();
    this.hearing?.user.agentStopped();
  }

  private activate(response: Response | undefined): void {
    this.active = response;
    this.hearing?.user.agentGenerates(response !== undefined);
  }

  private discardAhead(): void {
    this.ahead?.generation.stop();
    this.ahead = undefined;
  }

  // The end

  close(): void {
    this.end('closed by the client');
  }

  /** The legs were tried again already: the next provider of the agent takes over. */
  private failed(error: unknown): void {
    this.end(shorten(error instanceof Error ? error.message : String(error)), true);
  }

  private end(reason: string, final = false): void {
    if (this.isClosed) return;
    this.discardAhead();
    const { active } = this;
    this.activate(undefined);
    active?.cancel();
    this.release();
    this.isClosed = true;
    this.onEvent({ type: 'closed', reason, ...(final ? { final } : {}) });
  }

  private release(): void {
    this.comfort.close();
    this.hearing?.transcription.close();
    this.hearing?.detector.close?.();
    this.parts.legs.synthesizers?.all.forEach((leg) => leg.close?.());
    this.aborted.abort();
  }

  private emit(event: ProviderEvent): void {
    if (!this.isClosed) this.onEvent(event);
  }

  /** Also after the end: work that was discarded is billed as well. */
  private bill(items: UsageItem[]): void {
    const plausible = items.filter(isPlausible);
    if (plausible.length < items.length) this.emit(IMPLAUSIBLE_USAGE);
    if (plausible.length > 0) this.onEvent({ type: 'usage', items: plausible });
  }

  private get clock(): Clock {
    return this.parts.clock;
  }
}
