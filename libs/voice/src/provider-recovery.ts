import type { AgentSpeech } from './agent-speech.js';
import type { UserAudio } from './user-audio.js';
import type { UserTurns } from './user-turns.js';
import type { Clock } from './clock.js';
import type { VoiceConnection } from './providers/voice-provider.js';

/** What was told again to a new connection is answered by then, or not at all. */
const ANSWER_MS = 1_500;

type Tell = (connection: VoiceConnection) => void;

interface LossParts {
  clock: Clock;
  userTurns: UserTurns;
  userAudio: UserAudio;
  voice: AgentSpeech;
  /** By our own ears. */
  userSpeaks: () => boolean;
  /** Says the first words, unless something was said already. */
  greet: () => void;
  /** The agent may say something by itself. */
  mayTalk: () => boolean;
  sayMoment: () => void;
}

/** Carries a conversation over the loss of its provider: nothing is said twice, nothing that was said to it is lost. */
export class ProviderRecovery {
  private readonly outage: Outage;
  private undelivered: Tell[] = [];
  /** The callee said something that the next connection is told, and answers by itself. */
  private isSpokenInto = false;
  private cancelTimer = (): void => undefined;

  constructor(private readonly parts: LossParts) {
    this.outage = new Outage(parts.clock);
  }

  /** Something that the history has, too: told now, or to the next connection unless its history has it. */
  tell(connection: VoiceConnection | undefined, tell: Tell): void {
    if (connection) tell(connection);
    else this.undelivered.push(tell);
  }

  /** A connection is asked for, with the history so far. */
  connecting(): void {
    this.undelivered = [];
  }

  connected(connection: VoiceConnection): void {
    this.parts.userAudio.connected(connection);
    for (const tell of this.undelivered.splice(0)) tell(connection);
  }

  /** An answer is owed as soon as there is somebody to give it. */
  oweAnswer(): void {
    this.outage.owesAnswer = true;
  }

  /** Returns whether the agent had more to say. */
  begin(): boolean {
    const { voice, userTurns, userAudio, clock, userSpeaks } = this.parts;
    this.outage.begin();
    const unsaid = voice.connectionLost();
    const since = userTurns.connectionLost();
    userAudio.lost(since ?? clock.now());
    this.isSpokenInto ||= since !== undefined || userSpeaks();
    if (unsaid) this.oweAnswer();
    return unsaid;
  }

  attemptFailed(): void {
    this.outage.attemptFailed();
  }

  /** The first connection is there: what was pressed or written while it was made is answered after the first words. */
  opened(): void {
    this.parts.greet();
    if (!this.outage.owesAnswer || this.outage.lasts) return;
    this.outage.end();
    this.parts.voice.request({});
  }

  /** There is a provider again, and it may have been asked for something already. */
  restored(): void {
    const { voice, greet } = this.parts;
    greet();
    if (this.isSpokenInto || voice.generates) this.oweAnswer();
    if (this.isSpokenInto) this.expectAnswer();
    else if (this.outage.owesAnswer && !voice.generates) voice.request({});
    this.isSpokenInto = false;
    this.outage.restored();
  }

  /** Every 20 ms. */
  tick(connection: VoiceConnection | undefined, queuedMs: number): void {
    const { voice, userSpeaks, mayTalk, sayMoment } = this.parts;
    if (!this.outage.lasts) return;
    if (!connection && userSpeaks()) this.isSpokenInto = true;
    const isQuiet = queuedMs === 0 && !voice.plays && !userSpeaks() && mayTalk();
    if (this.outage.asksForMoment(isQuiet)) sayMoment();
  }

  /** The provider has gone on. */
  overcome(): void {
    this.outage.end();
  }

  close(): void {
    this.cancelTimer();
    this.outage.end();
  }

  /** Speech that is too short for the provider's ears would otherwise stay without an answer. */
  private expectAnswer(): void {
    const { clock, voice, userTurns, userSpeaks } = this.parts;
    this.cancelTimer();
    this.cancelTimer = clock.after(ANSWER_MS, () => {
      if (!this.outage.lasts || voice.generates) return;
      if (userSpeaks() || userTurns.speaks) this.expectAnswer();
      else voice.request({});
    });
  }
}

/** So much silence without a provider, and the callee is asked for a moment: a second of it sounds like a dead line. */
const SILENT_MS = 500;
/** A provider that is there again gets the time that an answer takes. */
const ANSWERING_MS = 800;

/** The time from the loss of a provider until the agent is heard again: what the callee is told, and what is still owed. */
export class Outage {
  private state: 'none' | 'lost' | 'restored' = 'none';
  /** Since when both sides are silent, in this state. */
  private silentSince: number | undefined;
  private hasFailed = false;
  private momentWasSaid = false;
  /** The callee waits for an answer. */
  owesAnswer = false;

  constructor(private readonly clock: Clock) {}

  get lasts(): boolean {
    return this.state !== 'none';
  }

  begin(): void {
    if (this.state === 'none') this.momentWasSaid = false;
    this.hasFailed = false;
    this.enter('lost');
  }

  /** It takes longer than a moment. */
  attemptFailed(): void {
    this.hasFailed = true;
  }

  /** There is a connection again; the agent will be heard when it owes something. */
  restored(): void {
    this.hasFailed = false;
    if (this.owesAnswer) this.enter('restored');
    else this.end();
  }

  end(): void {
    this.state = 'none';
    this.owesAnswer = false;
  }

  /** Whether to ask for a moment now, which is once; `isSilent`: nobody speaks. */
  asksForMoment(isSilent: boolean): boolean {
    if (!this.lasts || this.momentWasSaid) return false;
    if (!isSilent) this.silentSince = undefined;
    else this.silentSince ??= this.clock.now();
    if (this.silentSince === undefined) return false;
    const silentMs = this.clock.now() - this.silentSince;
    this.momentWasSaid = this.hasFailed || silentMs >= (this.state === 'lost' ? SILENT_MS : ANSWERING_MS);
    return this.momentWasSaid;
  }

  private enter(state: 'lost' | 'restored'): void {
    this.state = state;
    this.silentSince = undefined;
  }
}
