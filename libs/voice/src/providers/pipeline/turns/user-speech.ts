import { FRAME_MS } from '@app/telephony';
import type { Clock } from '../../../clock.js';
import type { SpeechDetector } from '../../../hearing/hearing-client.js';
import type { ProviderEvent, TurnDecision } from '../../voice-provider.js';
import { type Acknowledgements, normalise } from './acknowledgements.js';
import { LIMITS } from '../legs.js';
import type { TimedWord } from '../ports.js';
import type { Playhead } from '../speech/playhead.js';
import type { SpokenLanguage } from './spoken-languages.js';
import type { TranscriptEvent, Transcription } from './transcription.js';
import {
  endOfTurn,
  judgeOverlap,
  mayBeFinished,
  type OverlapOutcome,
  type SpeechEvidence,
  type TurnTimings,
} from './turn-detector.js';

/** Speech is detected after its beginning, so that audio before it is kept. */
const LEAD_IN_MS = 600;
/** Silence after which the transcriber is asked for its final words. */
const FLUSH_MS = 160;
/** Each pause may start the model once; a speaker with many pauses does not multiply the costs. */
const MAX_SPECULATIONS = 3;
/** The last part of an answer: words over it are the user's next turn. */
const END_OF_ANSWER_MS = 1_000;
/** The agent's first words meet the user's own "hello". */
const GREETING_MS = 1_500;
/** Longer speech has words. */
const SPEECH_WITH_WORDS_MS = 500;

/** What the connection does about the user's speech. */
interface UserSpeechListener {
  emit(event: ProviderEvent): void;
  /** The words interrupt the agent. */
  interrupted(): void;
  /** The user has said something that may be answered by a response that is not audible yet. */
  words(): void;
  /** These words may be the whole turn. */
  mayAnswer(text: string): void;
  /** `since`: the end of the speech by the clock. */
  turnEnded(text: string, since: number): void;
  /** The user has waited since then, by the clock, and the transcriber is not there. */
  delayed(since: number): void;
}

interface UserSpeechParts {
  voice: SpeechDetector;
  transcription: Transcription;
  playhead: Playhead;
  acknowledgements: Acknowledgements;
  language: SpokenLanguage;
  timings: TurnTimings & { speculates: boolean };
  clock: Clock;
  nextItemId: () => string;
  /** The conversation begins with this connection, so that the first words of the agent are its greeting. */
  isNew: boolean;
}

/** One turn of the user that has not ended. Positions count the audio of the connection. */
interface UserItem {
  itemId: string;
  startedMs: number;
  /** The end of the latest speech. */
  endedMs: number;
  /** The same by the clock, when it was noticed. */
  quietAt: number;
  finals: string[];
  /** Of the final words; undefined: the times of some are unknown. */
  timed: readonly TimedWord[] | undefined;
  interim: string;
  textAt: number;
  vendorEnded: boolean;
  /** The transcriber says that the turn has probably ended. */
  mayHaveEnded: boolean;
  isFlushed: boolean;
  /** Until then, by the clock, the words of another stream are awaited. */
  replayUntil: number;
  /** The agent was audible: the words decide whether they interrupt. */
  overlap: 'none' | 'open' | 'not_interrupted';
  /** The session has stopped the agent for this speech. */
  wasStopped: boolean;
  /** The user answers the end of the agent's speech. */
  isAnswer: boolean;
  /** The agent has just begun to greet. */
  meetsGreeting: boolean;
  /** The words of the latest early answer. */
  speculated: string;
  speculations: number;
}

/** The user's audio and words, and the decisions about their turns. */
export class UserSpeech {
  private audioMs = 0;
  private item: UserItem | undefined;
  /** Words of the ended turn that the transcriber has not finished. */
  private consumed: { text: string; untilMs: number } | undefined;
  /** A response is generated: more audio of the agent follows. */
  private isAgentGenerating = false;
  /** The agent only listens: the words decide about nothing. */
  private isAgentAbsent = false;

  constructor(
    private readonly parts: UserSpeechParts,
    private readonly listener: UserSpeechListener,
  ) {}

  /** Takes the next 20 ms. */
  push(frame: Buffer): void {
    const { transcription, voice } = this.parts;
    this.audioMs += FRAME_MS;
    transcription.send(frame);
    const event = voice.push(frame);
    if (event?.type === 'speech-start') this.speechStarted(event.atMs);
    if (event?.type === 'speech-stop' && this.item) this.item.endedMs = event.atMs;
    if (!this.item) return transcription.settled(this.audioMs - LEAD_IN_MS);
    this.track(this.item);
    this.decide(this.item);
  }

  heard(event: TranscriptEvent): void {
    if (event.type === 'speech_started') return;
    if (event.type === 'may_end' || event.type === 'resumed') {
      if (this.item) this.item.mayHaveEnded = event.type === 'may_end';
    } else if (event.type === 'end_of_turn') {
      if (this.item) this.item.vendorEnded = true;
    } else {
      if (event.language) this.parts.language.heard(event.language);
      this.words(event);
    }
    if (this.item) this.decide(this.item);
  }

  /** More audio of the agent follows, or no more. */
  agentGenerates(isOn: boolean): void {
    this.isAgentGenerating = isOn;
  }

  /** The agent only listens, or takes part again. */
  agentListens(isOn: boolean): void {
    this.isAgentAbsent = isOn;
  }

  /** The session has stopped the agent: the words are the user's turn. */
  agentStopped(): void {
    if (!this.item) return;
    this.item.overlap = 'none';
    this.item.wasStopped = true;
  }

  private speechStarted(atMs: number): void {
    const item = (this.item ??= this.begun(atMs));
    item.endedMs = this.audioMs;
    item.isFlushed = false;
    item.vendorEnded = false;
    item.mayHaveEnded = false;
    // Another decision is needed for the new speech.
    if (item.overlap === 'not_interrupted') this.overlaps(item);
  }

  private begun(startedMs: number): UserItem {
    const { clock, playhead, isNew, nextItemId } = this.parts;
    const now = clock.now();
    const { remainingMs } = this;
    const isFirst = isNew && !this.isAgentAbsent;
    const item: UserItem = {
      itemId: nextItemId(),
      startedMs,
      endedMs: startedMs,
      quietAt: now,
      finals: [],
      timed: [],
      interim: '',
      textAt: now,
      vendorEnded: false,
      mayHaveEnded: false,
      isFlushed: false,
      replayUntil: -Infinity,
      overlap: 'none',
      wasStopped: false,
      isAnswer: remainingMs > 0 && remainingMs <= END_OF_ANSWER_MS && !this.isAgentGenerating,
      meetsGreeting: isFirst && (playhead.firstWordsMs ?? Infinity) <= GREETING_MS,
      speculated: '',
      speculations: 0,
    };
    this.item = item;
    if (remainingMs > 0 && !item.isAnswer) this.overlaps(item);
    this.listener.emit({ type: 'speech_started', itemId: item.itemId, audioMs: startedMs });
    return item;
  }

  /** Notices the end of speech, and speech over the agent. */
  private track(item: UserItem): void {
    const { voice, clock, transcription } = this.parts;
    const isAudible = voice.speaking && voice.silenceMs === 0;
    if (isAudible) {
      item.endedMs = this.audioMs;
      item.quietAt = clock.now();
    }
    if (!item.isFlushed && !isAudible && this.silenceMs(item) >= FLUSH_MS) {
      item.isFlushed = true;
      transcription.flush();
    }
    // The agent has begun to speak meanwhile.
    const mayOverlap = voice.speaking && item.overlap === 'none' && !item.isAnswer && textOf(item) === '';
    if (mayOverlap && !item.wasStopped && this.remainingMs > 0) this.overlaps(item);
  }

  /** The user speaks over the agent; the session holds its audio. */
  private overlaps(item: UserItem): void {
    item.overlap = 'open';
    this.parts.playhead.hold();
  }

  /** Audio of the agent that is not played yet. */
  private get remainingMs(): number {
    return this.isAgentAbsent ? 0 : this.parts.playhead.remainingMs;
  }

  private silenceMs(item: UserItem): number {
    const { voice } = this.parts;
    return voice.speaking ? voice.silenceMs : Math.max(0, this.audioMs - item.endedMs);
  }

  private words(event: Extract<TranscriptEvent, { type: 'interim' | 'final' }>): void {
    const consumedMs = this.consumed?.untilMs ?? -1;
    const text = this.newWords(event);
    if (text === undefined) return;
    if (!this.item && text === '') return;
    const startMs = event.type === 'final' ? event.startMs : event.endMs - SPEECH_WITH_WORDS_MS;
    // Speech that was too soft for the detector.
    const item = (this.item ??= this.begun(Math.max(0, Math.min(startMs, this.audioMs))));
    const before = textOf(item);
    if (event.type === 'final') {
      if (text !== '') {
        item.finals.push(text);
        const timed = event.words.filter(({ endMs }) => endMs > consumedMs);
        item.timed = item.timed && timed.length > 0 ? [...item.timed, ...timed] : undefined;
      }
      item.interim = '';
    } else {
      item.interim = text;
    }
    if (normalise(before) === normalise(textOf(item))) return;
    this.listener.emit({ type: 'user_interim', itemId: item.itemId, text: textOf(item) });
    item.textAt = this.parts.clock.now();
    item.replayUntil = -Infinity;
    item.vendorEnded = false;
    item.mayHaveEnded = false;
    if (!this.parts.voice.speaking) item.endedMs = Math.max(item.endedMs, Math.min(event.endMs, this.audioMs));
    this.listener.words();
  }

  /** The words that do not belong to the turn before; undefined: all of them do. */
  private newWords(event: Extract<TranscriptEvent, { type: 'interim' | 'final' }>): string | undefined {
    const { consumed } = this;
    const text = event.text.trim();
    if (!consumed) return text;
    if (event.type === 'final') this.consumed = undefined;
    if (event.endMs <= consumed.untilMs) return undefined;
    const known = normalise(consumed.text);
    if (known === '' || (event.type === 'final' && event.startMs >= consumed.untilMs)) return text;
    if (event.type === 'final' && event.words.length > 0)
      return event.words
        .filter(({ endMs }) => endMs > consumed.untilMs)
        .map((word) => word.text)
        .join(' ');
    const all = normalise(text);
    if (all === known) return undefined;
    if (!all.startsWith(known)) return text;
    return text.split(/\s+/).slice(known.split(' ').length).join(' ');
  }

  private evidenceOf(item: UserItem): SpeechEvidence {
    const now = this.parts.clock.now();
    const text = textOf(item);
    return {
      text,
      silenceMs: this.silenceMs(item),
      speechMs: item.endedMs - item.startedMs,
      isFinal: item.interim === '',
      textAgeMs: text === '' ? 0 : now - item.textAt,
      vendorEnded: item.vendorEnded,
      vendorDecides: this.parts.transcription.endsTurns,
      waitedMs: now - item.quietAt,
    };
  }

  private decide(item: UserItem): void {
    const { clock, timings, transcription } = this.parts;
    const evidence = this.evidenceOf(item);
    const isAgentSilent = this.remainingMs === 0 && (this.isAgentAbsent || !this.isAgentGenerating);
    if (item.overlap !== 'none' && isAgentSilent) item.overlap = 'none';
    if (item.overlap !== 'none') return this.judge(item, evidence);
    const reason = clock.now() < item.replayUntil ? undefined : endOfTurn(evidence, timings);
    if (reason && this.isCutOff(item, evidence)) return this.awaitReplay(item);
    if (reason === 'no_words') return this.wordless(item, evidence);
    if (reason) return this.end(item, evidence, { outcome: 'turn_ended', reason });
    if (timings.speculates) this.speculate(item, evidence);
    const waits = evidence.silenceMs > 0 && evidence.speechMs >= SPEECH_WITH_WORDS_MS;
    if (waits && transcription.isDown) this.listener.delayed(item.quietAt);
  }

  /** The user speaks over the agent. */
  private judge(item: UserItem, evidence: SpeechEvidence): void {
    const { listener } = this;
    const { acknowledgements, playhead, timings } = this.parts;
    const areAll = acknowledgements.areAll(evidence.text, item.meetsGreeting);
    const outcome = judgeOverlap(evidence, areAll);
    if (!outcome) return;
    if (outcome.outcome === 'interruption') {
      item.overlap = 'none';
      this.record(item, evidence, outcome);
      return listener.interrupted();
    }
    if (item.overlap === 'open') {
      item.overlap = 'not_interrupted';
      this.record(item, evidence, outcome);
      listener.emit({ type: 'not_interrupted' });
      playhead.release();
    }
    if (evidence.silenceMs >= timings.withoutPunctuationMs) this.close(item, evidence.text);
  }

  private wordless(item: UserItem, evidence: SpeechEvidence): void {
    const { transcription } = this.parts;
    const isSpeech = evidence.speechMs >= SPEECH_WITH_WORDS_MS;
    // By the clock, because a replay is faster than the speech.
    if (isSpeech && transcription.suspect(item.quietAt - evidence.speechMs)) this.awaitReplay(item);
    else if (isSpeech && transcription.isDown) this.listener.delayed(item.quietAt);
    else this.end(item, evidence, { outcome: 'noise', reason: 'no_words' });
  }

  /** The transcriber has reported nothing for the last part of the speech, and may be dead: another stream hears it again. */
  private isCutOff(item: UserItem, { isFinal, text }: SpeechEvidence): boolean {
    const wordlessMs = item.quietAt - item.textAt;
    return (
      !isFinal && text !== '' && wordlessMs >= SPEECH_WITH_WORDS_MS && this.parts.transcription.suspect(item.quietAt)
    );
  }

  private awaitReplay(item: UserItem): void {
    item.replayUntil = this.parts.clock.now() + LIMITS.firstTranscriptMs;
  }

  private speculate(item: UserItem, evidence: SpeechEvidence): void {
    const words = normalise(evidence.text);
    if (item.speculations >= MAX_SPECULATIONS || words === item.speculated) return;
    if (!(evidence.vendorDecides ? item.mayHaveEnded && words !== '' : mayBeFinished(evidence))) return;
    item.speculated = words;
    item.speculations++;
    this.listener.mayAnswer(evidence.text);
  }

  private end(item: UserItem, evidence: SpeechEvidence, outcome: OverlapOutcome): void {
    this.record(item, evidence, outcome);
    this.close(item, evidence.text);
    if (outcome.outcome === 'turn_ended') this.listener.turnEnded(evidence.text, item.quietAt);
  }

  private record(item: UserItem, { silenceMs, text }: SpeechEvidence, outcome: OverlapOutcome): void {
    const decision: TurnDecision = { ...outcome, waitedMs: Math.round(silenceMs), text };
    this.listener.emit({ type: 'turn_decision', itemId: item.itemId, decision });
  }

  private close(item: UserItem, text: string): void {
    const { itemId, endedMs, interim, timed } = item;
    this.item = undefined;
    // Words may still arrive for speech that had none.
    this.consumed = text === '' ? undefined : { text: interim, untilMs: this.audioMs };
    this.listener.emit({ type: 'speech_stopped', itemId, audioMs: endedMs });
    const words = interim === '' && timed && timed.length > 0 ? { words: timed } : {};
    this.listener.emit({ type: 'user_text', itemId, text, ...words });
  }
}

const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}、。，！？]$/u;

function textOf({ finals, interim }: UserItem): string {
  const parts = interim === '' ? finals : [...finals, interim];
  return parts.reduce((text, part) => (text === '' || WITHOUT_SPACES.test(text) ? text + part : `${text} ${part}`), '');
}
