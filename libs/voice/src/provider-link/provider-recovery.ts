import type { LineCodec } from '@app/telephony';
import type { AgentSpeech } from '../conversation/agent-speech.js';
import type { BargeIn } from '../conversation/barge-in.js';
import type { Clock } from '../clock.js';
import type { LinkListener } from './provider-link.js';
import type { VoiceConnection } from '../providers/voice-provider.js';
import type { UserAudio, UserTurns } from '../conversation/user-input.js';

/** After this time an answer to the replayed speech is requested. */
const ANSWER_MS = 1_500;

type Delivery = (connection: VoiceConnection) => void;

/** The conversation that is recovered. */
interface Recoverable {
  readonly firstWords: {
    /** Says them unless the agent has spoken already. */
    greet(isMachine: boolean): void;
  };
  /** The agent may speak by itself. */
  readonly mayTalk: boolean;
  sayMoment(): void;
}

/** The conversation, as the link to its provider changes it. */
export interface LinkedConversation extends Pick<LinkListener, 'request' | 'event' | 'lost' | 'restored' | 'givenUp'> {
  /** A connection is about to hear the line. */
  connecting(connection: VoiceConnection): void;
  isClosing(): boolean;
}

/** Recovers the conversation from what happens to the link. */
export const linkListener = (recovery: () => ProviderRecovery, conversation: LinkedConversation): LinkListener => ({
  request: () => {
    recovery().connecting();
    return conversation.request();
  },
  event: (event) => conversation.event(event),
  connected: (connection, codec) => {
    conversation.connecting(connection);
    recovery().connected(connection, codec);
  },
  lost: (reason) => conversation.lost(reason),
  attemptFailed: () => recovery().attemptFailed(),
  restored: (attempts) => {
    conversation.restored(attempts);
    if (conversation.isClosing()) recovery().overcome();
    else recovery().restored();
  },
  givenUp: (error) => conversation.givenUp(error),
});

/** Carries a conversation over the loss of its provider: nothing is said twice, and no input of the user is lost. */
export class ProviderRecovery {
  private readonly outage: Outage;
  private undelivered: Delivery[] = [];
  /** The user spoke during the outage; the next connection gets that speech and answers it without a request. */
  private isSpokenInto = false;
  private cancelTimer = (): void => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly conversation: Recoverable,
    private readonly voice: AgentSpeech,
    private readonly bargeIn: BargeIn,
    private readonly userTurns: UserTurns,
    private readonly userAudio: UserAudio,
  ) {
    this.outage = new Outage(clock);
  }

  /** Sends input that the history contains as well: now, or over the next connection unless that opens with the newer history. */
  deliver(connection: VoiceConnection | undefined, send: Delivery): void {
    if (connection) send(connection);
    else this.undelivered.push(send);
  }

  /** A connection is requested with the history so far. */
  connecting(): void {
    this.undelivered = [];
  }

  connected(connection: VoiceConnection, codec: LineCodec): void {
    this.userAudio.connected(connection, codec);
    for (const send of this.undelivered.splice(0)) send(connection);
  }

  /** The next connection must answer. */
  oweAnswer(): void {
    this.outage.owesAnswer = true;
  }

  /** The connection was lost. Returns whether the agent had more to say. */
  begin(): boolean {
    this.outage.begin();
    const unsaid = this.voice.connectionLost();
    const since = this.userTurns.connectionLost();
    this.userAudio.lost(since ?? this.clock.now());
    this.isSpokenInto ||= since !== undefined || this.bargeIn.userSpeaks;
    if (unsaid) this.oweAnswer();
    return unsaid;
  }

  attemptFailed(): void {
    this.outage.attemptFailed();
  }

  /** The first connection is open: keys and text that came earlier are answered after the greeting. */
  opened(): void {
    this.conversation.firstWords.greet(false);
    if (!this.outage.owesAnswer || this.outage.lasts) return;
    this.outage.end();
    this.voice.request({});
  }

  /** A provider is connected again; the greeting or an early event may have requested a response already. */
  restored(): void {
    this.conversation.firstWords.greet(false);
    if (this.isSpokenInto || this.voice.generates) this.oweAnswer();
    if (this.isSpokenInto) this.expectAnswer();
    else if (this.outage.owesAnswer && !this.voice.generates) this.voice.request({});
    this.isSpokenInto = false;
    this.outage.restored();
  }

  /** To be called every 20 ms. */
  tick(connection: VoiceConnection | undefined, queuedMs: number): void {
    if (!this.outage.lasts) return;
    const { userSpeaks } = this.bargeIn;
    if (!connection && userSpeaks) this.isSpokenInto = true;
    const isQuiet = queuedMs === 0 && !this.voice.plays && !userSpeaks && this.conversation.mayTalk;
    if (this.outage.asksForMoment(isQuiet)) this.conversation.sayMoment();
  }

  /** The provider answers again. */
  overcome(): void {
    this.outage.end();
  }

  close(): void {
    this.cancelTimer();
    this.outage.end();
  }

  /** Speech that is too short for the provider's voice activity detection would otherwise stay unanswered. */
  private expectAnswer(): void {
    this.cancelTimer();
    this.cancelTimer = this.clock.after(ANSWER_MS, () => {
      if (!this.outage.lasts || this.voice.generates) return;
      if (this.bargeIn.userSpeaks || this.userTurns.speaks) this.expectAnswer();
      else this.voice.request({});
    });
  }
}

/** Silence without a provider after which the user is asked to wait: a second of silence sounds like a dead line. */
const SILENT_MS = 500;
/** The same after the reconnection: a normal answer takes this long. */
const ANSWERING_MS = 800;

/** The time from the loss of a provider until the next audio of the agent. */
class Outage {
  private state: 'none' | 'lost' | 'restored' = 'none';
  /** Since when both sides are silent, in this state. */
  private silentSince: number | undefined;
  private hasFailed = false;
  private momentWasSaid = false;
  /** The user waits for an answer. */
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

  /** The first reconnection failed, so the outage takes longer. */
  attemptFailed(): void {
    this.hasFailed = true;
  }

  /** Connected again; the outage lasts until an owed answer is heard. */
  restored(): void {
    this.hasFailed = false;
    if (this.owesAnswer) this.enter('restored');
    else this.end();
  }

  end(): void {
    this.state = 'none';
    this.owesAnswer = false;
  }

  /** Whether to ask the user to wait now, once per outage. `isSilent`: neither side speaks. */
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
