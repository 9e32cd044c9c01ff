import type { AgentVoice } from './agent-voice.js';
import type { CalleeAudio } from './callee-audio.js';
import type { CalleeTurns } from './callee-turns.js';
import type { Clock } from './clock.js';
import { Outage } from './outage.js';
import type { VoiceConnection } from './providers/voice-provider.js';

/** What was told again to a new connection is answered by then, or not at all. */
const ANSWER_MS = 1_500;

type Tell = (connection: VoiceConnection) => void;

interface LossParts {
  clock: Clock;
  callee: CalleeTurns;
  calleeAudio: CalleeAudio;
  voice: AgentVoice;
  /** By our own ears. */
  calleeSpeaks: () => boolean;
  /** Says the first words, unless something was said already. */
  greet: () => void;
  /** The agent may say something by itself. */
  mayTalk: () => boolean;
  sayMoment: () => void;
}

/** Carries a conversation over the loss of its provider: nothing is said twice, nothing that was said to it is lost. */
export class ProviderLoss {
  private readonly outage: Outage;
  private untold: Tell[] = [];
  /** The callee said something that the next connection is told, and answers by itself. */
  private isSpokenInto = false;
  private cancelTimer = (): void => undefined;

  constructor(private readonly parts: LossParts) {
    this.outage = new Outage(parts.clock);
  }

  /** Something that the history has, too: told now, or to the next connection unless its history has it. */
  tell(connection: VoiceConnection | undefined, tell: Tell): void {
    if (connection) tell(connection);
    else this.untold.push(tell);
  }

  /** A connection is asked for, with the history so far. */
  connecting(): void {
    this.untold = [];
  }

  connected(connection: VoiceConnection): void {
    this.parts.calleeAudio.connected(connection);
    for (const tell of this.untold.splice(0)) tell(connection);
  }

  /** An answer is owed as soon as there is somebody to give it. */
  oweAnswer(): void {
    this.outage.owesAnswer = true;
  }

  /** Returns whether the agent had more to say. */
  begin(): boolean {
    const { voice, callee, calleeAudio, clock, calleeSpeaks } = this.parts;
    this.outage.begin();
    const unsaid = voice.connectionLost();
    const since = callee.connectionLost();
    calleeAudio.lost(since ?? clock.now());
    this.isSpokenInto ||= since !== undefined || calleeSpeaks();
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
    const { voice, calleeSpeaks, mayTalk, sayMoment } = this.parts;
    if (!this.outage.lasts) return;
    if (!connection && calleeSpeaks()) this.isSpokenInto = true;
    const isQuiet = queuedMs === 0 && !voice.plays && !calleeSpeaks() && mayTalk();
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
    const { clock, voice, callee, calleeSpeaks } = this.parts;
    this.cancelTimer();
    this.cancelTimer = clock.after(ANSWER_MS, () => {
      if (!this.outage.lasts || voice.generates) return;
      if (calleeSpeaks() || callee.speaks) this.expectAnswer();
      else voice.request({});
    });
  }
}
