import { FRAME_MS, type MediaPort, VoiceActivity } from '@app/telephony';
import type { Clock } from '../clock.js';
import type { OtherSpeech, WordsOfOther } from '../providers/voice-provider.js';
import type { HandBackReason } from '../session-events.js';
import { speechOf } from '../transcript/transcript.js';
import type { ConversationLog, OpenTurn } from './conversation-log.js';

/** Frames of a network connection arrive in bursts: the voice begins when so many are there. */
const PREFILL_FRAMES = 3;
/** More is delay: such a frame is dropped. */
const MAX_QUEUED_MS = 200;
/** A person sends frames all the time, also in silence. */
const VANISHED_MS = 3_000;
/** Nobody has spoken for this long: the person has forgotten the call, or the microphone is off. */
const MAX_SILENCE_MS = 30_000;
/** Of the person; the pauses between sentences do not end a turn. */
const SPEECH = { startMs: 100, stopMs: 700 };
/** Audio that waits for the recognition to be opened. */
const MAX_EARLY_FRAMES = 5_000 / FRAME_MS;
/** The words of a turn may arrive this much after its end. */
const LATEST_WORDS_MS = 2_500;

interface PersonTurn extends OpenTurn {
  /** Positions in the audio of the person. */
  startMs: number;
  endMs: number | undefined;
  cancelWait: () => void;
}

interface PersonListener {
  /** A turn of the person is complete; `text` is null without recognition. */
  said(text: string | null, durationMs: number): void;
}

/** A person who has the line of an agent: the voice for the user, the turns, and their words where they can be recognised. */
export class PersonOnLine {
  private readonly voice = new VoiceActivity('L16', SPEECH);
  private turns: PersonTurn[] = [];
  private filling: Buffer[] = [];
  private frames = 0;
  private heardAt: number;
  private spokenAt: number;
  /** `unknown`: the recognition is being opened. */
  private recognition: 'unknown' | 'none' | WordsOfOther = 'unknown';
  /** Until the recognition is open. */
  private early: Buffer[] = [];
  /** Where the audio of the recognition begins. */
  private originMs = 0;
  private hasLeft = false;

  constructor(
    readonly name: string,
    private readonly media: MediaPort,
    private readonly clock: Clock,
    private readonly log: ConversationLog,
    private readonly listener: PersonListener,
  ) {
    this.heardAt = this.spokenAt = clock.now();
  }

  /** The words of the person will be reported by `heard`; undefined: they will not, or not any more. */
  recogniseBy(words: WordsOfOther | undefined): void {
    this.recognition = words ?? 'none';
    this.originMs = this.heardMs - this.early.length * FRAME_MS;
    for (const frame of this.early.splice(0)) words?.send(frame);
    if (!words) for (const turn of [...this.turns]) if (turn.endMs !== undefined) this.finish(turn);
    if (this.hasLeft) words?.flush();
    this.closeWhenDone();
  }

  /** 20 ms of L16. */
  hear(frame: Buffer): void {
    if (this.hasLeft) return;
    this.heardAt = this.clock.now();
    this.frames++;
    this.play(frame);
    this.send(frame);
    const event = this.voice.push(frame);
    if (this.voice.speaking) this.spokenAt = this.heardAt;
    if (event?.type === 'speech-start') this.begin(event.atMs);
    else if (event) this.end(event.atMs);
  }

  /** To be called every 20 ms. Undefined: the person is there. */
  absence(userSpeaks: boolean): HandBackReason | undefined {
    const now = this.clock.now();
    if (userSpeaks) this.spokenAt = now;
    if (now - this.heardAt >= VANISHED_MS) return 'no_audio';
    return now - this.spokenAt >= MAX_SILENCE_MS ? 'silence' : undefined;
  }

  /** The agent goes on. Words that are still recognised are reported later. */
  leave(): void {
    if (this.hasLeft) return;
    this.hasLeft = true;
    for (const frame of this.filling.splice(0)) this.media.write(frame, undefined, 'L16');
    const open = this.turns.at(-1);
    if (open?.endMs === undefined) this.end(this.heardMs);
    this.closeWhenDone();
  }

  /** The call is over. */
  close(): void {
    this.leave();
    for (const turn of [...this.turns]) this.finish(turn);
  }

  /** What the recognition reports; positions are those of the audio that was sent to it. */
  heard(speech: OtherSpeech): void {
    const endMs = speech.endMs + this.originMs;
    const turn = this.turns.findLast(({ startMs }) => startMs < endMs) ?? this.turns[0];
    if (!turn) return;
    turn.text = turn.text === '' ? speech.text : `${turn.text} ${speech.text}`;
    if (turn.endMs !== undefined && endMs >= turn.endMs - SPEECH.startMs) this.finish(turn);
  }

  private get heardMs(): number {
    return this.frames * FRAME_MS;
  }

  private play(frame: Buffer): void {
    const { media, filling } = this;
    const { queuedMs } = media;
    if (queuedMs > MAX_QUEUED_MS) return;
    filling.push(frame);
    if (queuedMs === 0 && filling.length < PREFILL_FRAMES) return;
    for (const one of filling.splice(0)) media.write(one, undefined, 'L16');
  }

  private send(frame: Buffer): void {
    const { recognition, early } = this;
    if (recognition === 'none') return;
    if (recognition !== 'unknown') return recognition.send(frame);
    early.push(frame);
    if (early.length > MAX_EARLY_FRAMES) early.shift();
  }

  private begin(startMs: number): void {
    const startedMs = this.log.at(this.clock.now() - (this.heardMs - startMs));
    const turn = this.log.openTurn('supervisor', startedMs);
    this.turns.push({ ...turn, startMs, endMs: undefined, cancelWait: () => undefined });
  }

  private end(endMs: number): void {
    const turn = this.turns.at(-1);
    if (!turn || turn.endMs !== undefined) return;
    turn.endMs = endMs;
    if (this.recognition === 'none') return this.finish(turn);
    if (this.recognition !== 'unknown') this.recognition.flush();
    turn.cancelWait = this.clock.after(LATEST_WORDS_MS, () => this.finish(turn));
  }

  private finish(turn: PersonTurn): void {
    if (!this.turns.includes(turn)) return;
    this.turns = this.turns.filter((one) => one !== turn);
    turn.cancelWait();
    const durationMs = (turn.endMs ?? this.heardMs) - turn.startMs;
    const text = turn.text.trim();
    const endedMs = turn.startedMs + durationMs;
    this.log.closeTurn('supervisor', { ...turn, text: text || speechOf(durationMs), name: this.name }, endedMs, false);
    this.listener.said(text || null, durationMs);
    this.closeWhenDone();
  }

  private closeWhenDone(): void {
    const { recognition } = this;
    if (!this.hasLeft || this.turns.length > 0 || typeof recognition === 'string') return;
    this.recognition = 'none';
    recognition.close();
  }
}
