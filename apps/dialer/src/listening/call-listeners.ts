import type { ListenerAnnouncement } from '@app/accounts';
import type { Actor, AuditAction } from '@app/audit';
import type { Log } from '@app/common';
import type { AudioTask, CallLeg } from '@app/telephony';
import type { WebSocket } from 'ws';
import type { AgentOnCall } from '../agent/agent-on-call.js';
import { CallerAudio } from '../media/caller-audio.js';
import { listenerSentence } from './listener-announcement.js';
import { type ListenerFormat, silentStereo, StereoFormats } from './listener-audio.js';
import { CLOSE_CODES, ListenerConnection, type ListenerRequest } from './listener-connection.js';
import {
  type ListenedFrame,
  LISTENING_TASK,
  type ToListening,
  type ToWhisper,
  WHISPER_TASK,
} from './listening-task.js';

/** A person or a program that listens. */
export interface Listener {
  /** As others see it. */
  name: string;
  actor: Actor;
  maySpeak: boolean;
  format: ListenerFormat;
}

interface ListenedCall {
  id: string;
  accountId: number;
  leg: CallLeg;
  agent: AgentOnCall;
  announcement: ListenerAnnouncement | null;
}

interface ListeningServices {
  /** Resolves when the event is stored. */
  audit(action: AuditAction, listener: Listener, call: Pick<ListenedCall, 'id' | 'accountId'>): Promise<void>;
  log: Log;
}

const MAX_LISTENERS = 20;

interface Joined extends Listener {
  connection: ListenerConnection;
  /** The user knows, and the audit log has it: audio may be sent. */
  hears: boolean;
  /** One request at a time. */
  isBusy: boolean;
}

/** The people and programs that listen to one call, and the one of them that speaks. */
export class CallListeners {
  private readonly joined = new Set<Joined>();
  private readonly formats = new StereoFormats();
  private readonly open = new StereoFormats();
  /** While somebody listens. */
  private tap: AudioTask | undefined;
  private speaker: Joined | undefined;
  private whisper: { by: Joined; voice: AudioTask } | undefined;
  /** The user was told, or is being told. */
  private announced: Promise<boolean> | undefined;
  private isOver = false;

  constructor(
    private readonly services: ListeningServices,
    private readonly call: ListenedCall,
  ) {
    const { agent, leg } = call;
    agent.on('handed_back', () => this.lineReturned());
    agent.on('left', () => this.lineReturned());
    agent.on('colleague', () => this.colleagueChanged());
    leg.on('ended', () => this.close());
  }

  get isFull(): boolean {
    return this.joined.size >= MAX_LISTENERS;
  }

  /** The socket is open. `left` is called at its end. */
  join(listener: Listener, socket: WebSocket, left: () => void): void {
    const connection = new ListenerConnection(socket, listener.format, {
      request: (request) => void this.execute(one, request),
      voice: (audio) => this.hear(one, audio),
      closed: () => {
        left();
        this.leave(one);
      },
    });
    const one: Joined = { ...listener, connection, hears: false, isBusy: false };
    if (this.isOver) return connection.end();
    this.joined.add(one);
    void this.admit(one);
  }

  /** The call is over. */
  private close(): void {
    if (this.isOver) return;
    this.isOver = true;
    for (const { connection } of [...this.joined]) connection.end();
  }

  private async admit(one: Joined): Promise<void> {
    const { call, services } = this;
    const { connection, name, format, maySpeak } = one;
    try {
      await services.audit('call.listened', one, call);
    } catch (err) {
      services.log.error({ err, call_id: call.id }, 'a listener was refused because it could not be recorded');
      return connection.refuse(1_011, 'internal_error', 'The audit log could not be written.');
    }
    if (!this.joined.has(one)) return;
    const audio = call.agent.record.hidesAudio ? 'withheld' : 'live';
    connection.send({
      ...{ type: 'ready', call_id: call.id, format, channels: 2, frame_ms: 20, may_speak: maySpeak, audio },
    });
    call.agent.record.note('listener_joined', { name });
    this.showState();
    if (!(await this.announce())) {
      if (this.joined.has(one))
        connection.refuse(
          CLOSE_CODES.notAllowed,
          'not_announced',
          'The other party could not be told that somebody listens. Try again.',
        );
      return;
    }
    if (!this.joined.has(one)) return;
    one.hears = true;
    this.startTap();
  }

  private leave(one: Joined): void {
    if (!this.joined.delete(one)) return;
    if (this.speaker === one) {
      this.speaker = undefined;
      if (!this.isOver) void this.call.agent.command({ type: 'hand_back', reason: 'disconnected' });
    }
    if (this.whisper?.by === one) this.endWhisper();
    this.call.agent.record.note('listener_left', { name: one.name });
    if (this.joined.size === 0) this.stopTap();
    this.showState();
  }

  /** Once per call, before the first listener hears it. Resolves with false when the user could not be told. */
  private announce(): Promise<boolean> {
    const { announcement } = this.call;
    if (!announcement) return Promise.resolve(true);
    this.announced ??= this.say(announcement).then((isSaid) => {
      if (!isSaid) this.announced = undefined;
      return isSaid;
    });
    return this.announced;
  }

  private async say(announcement: ListenerAnnouncement): Promise<boolean> {
    const { agent, leg } = this.call;
    const { text, language } = listenerSentence(announcement);
    if (agent.isTalking) return (await agent.command({ type: 'announce', text, language })).ok;
    try {
      // The agent has left the call to another person.
      const audio = new CallerAudio(leg, { music: false });
      await audio.say(text, language);
      audio.stop();
      return !this.isOver;
    } catch {
      return false;
    }
  }

  // Audio

  private startTap(): void {
    if (this.tap || this.isOver) return;
    const tap = this.call.leg.attach(LISTENING_TASK, {});
    this.tap = tap;
    tap.onMessage((frame) => this.pass(frame as ListenedFrame));
    tap.done.catch(() => {
      if (this.tap !== tap) return;
      for (const { connection } of [...this.joined])
        connection.refuse(CLOSE_CODES.notAllowed, 'not_supported', 'The audio of this call cannot be listened to.');
    });
  }

  private stopTap(): void {
    this.post({ type: 'stop' });
    this.tap = undefined;
  }

  private pass({ recorded, hidden, rate }: ListenedFrame): void {
    const { formats, open, speaker } = this;
    const isWithheld = this.call.agent.record.hidesAudio;
    formats.take(recorded, rate);
    open.take(hidden ?? recorded, rate);
    for (const one of [...this.joined]) {
      if (!one.hears) continue;
      const { connection, format } = one;
      // Who speaks with the user is a party of the call, as the person of a transfer is.
      if (one === speaker) connection.sendAudio(open.as(format));
      else connection.sendAudio(isWithheld ? silentStereo(format) : formats.as(format));
    }
  }

  private hear(one: Joined, audio: Uint8Array): void {
    if (this.speaker === one) this.call.agent.speak(audio);
    else if (this.whisper?.by === one) this.whisper.voice.post({ type: 'voice', audio } satisfies ToWhisper);
  }

  private post(message: ToListening): void {
    this.tap?.post(message);
  }

  // Requests

  private async execute(one: Joined, request: ListenerRequest): Promise<void> {
    if (!one.maySpeak)
      return one.connection.sendError('not_allowed', 'Speaking on a call needs the scope calls:write as well.');
    if (one.isBusy || !one.hears) return one.connection.sendError('busy', 'Wait for the request before this one.');
    one.isBusy = true;
    try {
      if (request === 'take_over') await this.takeOver(one);
      else if (request === 'hand_back') await this.handBack(one);
      else if (request === 'whisper') await this.startWhisper(one);
      else if (this.whisper?.by === one) this.endWhisper();
    } catch (err) {
      this.services.log.error({ err, call_id: this.call.id }, 'a request of a listener failed');
      one.connection.sendError('internal_error', 'The request could not be executed.');
    } finally {
      one.isBusy = false;
    }
  }

  private async takeOver(one: Joined): Promise<void> {
    const { call, services } = this;
    if (this.speaker === one) return;
    if (this.speaker) return one.connection.sendError('taken_over', `${this.speaker.name} has taken over already.`);
    await services.audit('call.taken_over', one, call);
    if (this.whisper?.by === one) this.endWhisper();
    const outcome = await call.agent.command({ type: 'take_over', name: one.name });
    if (!outcome.ok) return one.connection.sendError(outcome.code, outcome.message);
    if (!this.joined.has(one)) {
      // The person has closed the connection meanwhile.
      await call.agent.command({ type: 'hand_back', reason: 'disconnected' });
      return;
    }
    this.speaker = one;
    this.post({ type: 'hidden', isOn: true });
    this.showState();
  }

  private async handBack(one: Joined): Promise<void> {
    if (this.speaker !== one) return one.connection.sendError('not_taken_over', 'You have not taken over the call.');
    await this.call.agent.command({ type: 'hand_back', reason: 'handed_back' });
  }

  /** By a request, because the person vanished, or because the session has ended. */
  private lineReturned(): void {
    this.post({ type: 'hidden', isOn: false });
    this.speaker = undefined;
    this.showState();
  }

  private async startWhisper(one: Joined): Promise<void> {
    const { call, services } = this;
    const { colleague } = call.agent;
    if (!colleague)
      return one.connection.sendError('no_colleague', 'Nobody takes part in a transfer or a conference of this call.');
    if (this.speaker === one) return one.connection.sendError('taken_over', 'Hand the call back first.');
    if (this.whisper?.by === one) return;
    if (this.whisper)
      return one.connection.sendError('taken', `${this.whisper.by.name} speaks to the colleague already.`);
    await services.audit('call.whispered', one, call);
    // The colleague, or the person, may have left meanwhile.
    if (call.agent.colleague !== colleague || !this.joined.has(one) || this.whisper) return;
    const voice = colleague.attach(WHISPER_TASK, {});
    const whisper = { by: one, voice };
    this.whisper = whisper;
    const over = (): void => {
      if (this.whisper === whisper) this.endWhisper();
    };
    void voice.done.then(over, over);
    this.showState();
  }

  private endWhisper(): void {
    this.whisper?.voice.post({ type: 'stop' } satisfies ToWhisper);
    this.whisper = undefined;
    this.showState();
  }

  private colleagueChanged(): void {
    if (this.whisper && !this.call.agent.colleague) this.endWhisper();
    else this.showState();
  }

  private showState(): void {
    if (this.joined.size === 0 || this.isOver) return;
    const nameOf = (one: Joined | undefined) => (one ? { name: one.name } : null);
    const state = {
      type: 'state',
      listeners: [...this.joined].map(({ name }) => ({ name })),
      speaker: nameOf(this.speaker),
      whisperer: nameOf(this.whisper?.by),
      can_whisper: this.call.agent.colleague !== undefined,
    };
    for (const { connection } of this.joined) connection.send(state);
  }
}
