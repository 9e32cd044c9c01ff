import { type CallListener, listenToCall, type ListenerEvent, type ListenerMode, WebCallError } from '@app/client/web';
import { signal } from '@preact/signals';
import { session, urlOf } from './client.js';
import { apiPath } from './path.js';
import { WORKLET_URL } from './talk.js';
import { loudnessOf } from '../logic/loudness.js';

export type ListeningState =
  | { name: 'idle' }
  | { name: 'connecting' }
  | {
      name: 'live';
      mode: ListenerMode;
      /** Names of all who listen. */
      listeners: readonly string[];
      /** Who speaks instead of the agent. */
      speaker: string | null;
      canWhisper: boolean;
      maySpeak: boolean;
      /** The connection is being made again. */
      isLost: boolean;
    }
  | { name: 'over'; sentence: string; isBad: boolean };

/** How this browser hears one call. */
export class Listening {
  readonly state = signal<ListeningState>({ name: 'idle' });
  /** A sentence about what was refused; listening goes on. */
  readonly notice = signal('');
  private listener: CallListener | undefined;
  private leaving = new AbortController();
  private loudness = { user: 0, agent: 0, microphone: 0 };

  constructor(private readonly callId: string) {}

  /** Loudness of both sides and of the own microphone, from 0 to 1. */
  levels(): { user: number; agent: number; microphone: number } {
    return this.loudness;
  }

  /** Call it in the handler of a click: browsers start audio only there. */
  async start(): Promise<void> {
    const { name } = this.state.value;
    if (name === 'connecting' || name === 'live') return;
    this.leaving = new AbortController();
    const { signal: leaving } = this.leaving;
    this.notice.value = '';
    this.state.value = { name: 'connecting' };
    const url = urlOf(apiPath`calls/${this.callId}/audio`);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    try {
      this.listener = await listenToCall(
        { url: url.href, ...(session.token !== null && { token: session.token }) },
        { signal: leaving, language: 'en', workletUrl: WORKLET_URL, onEvent: (event) => this.take(event, leaving) },
      );
      this.update({ maySpeak: this.listener.maySpeak });
    } catch (error) {
      if (leaving.aborted) this.state.value = { name: 'idle' };
      else if (error instanceof WebCallError) this.state.value = { name: 'over', sentence: error.message, isBad: true };
      else throw error;
    }
  }

  stop(): void {
    this.leaving.abort();
    this.listener?.close();
  }

  /** Throws WebCallError without a microphone. */
  async takeOver(): Promise<void> {
    this.notice.value = '';
    await this.listener?.takeOver();
  }

  handBack(): void {
    this.listener?.handBack();
  }

  /** Throws WebCallError without a microphone. */
  async whisper(): Promise<void> {
    this.notice.value = '';
    await this.listener?.whisper();
  }

  endWhisper(): void {
    this.listener?.endWhisper();
  }

  private take(event: ListenerEvent, leaving: AbortSignal): void {
    switch (event.type) {
      case 'connection':
        if (event.status === 'open') this.update({ isLost: false });
        if (event.status === 'reconnecting') this.update({ isLost: true });
        return;
      case 'state':
        return this.update({
          listeners: event.listeners.map(({ name }) => name),
          speaker: event.speaker?.name ?? null,
          canWhisper: event.can_whisper,
        });
      case 'mode':
        return this.update({ mode: event.mode });
      case 'levels':
        this.loudness = {
          user: loudnessOf(event.user),
          agent: loudnessOf(event.agent),
          microphone: loudnessOf(event.input),
        };
        return;
      case 'problem':
        this.notice.value = event.message;
        return;
      case 'ended':
        if (this.state.value.name !== 'live') return;
        this.state.value = {
          name: 'over',
          sentence: event.message ?? (leaving.aborted ? 'You stopped listening.' : 'The call has ended.'),
          isBad: event.error !== undefined,
        };
    }
  }

  private update(changes: Partial<Extract<ListeningState, { name: 'live' }>>): void {
    const { value } = this.state;
    if (value.name === 'over' || value.name === 'idle') return;
    const before = value.name === 'live' ? value : NOBODY;
    this.state.value = { ...before, ...changes };
  }
}

const NOBODY: Extract<ListeningState, { name: 'live' }> = {
  name: 'live',
  mode: 'listening',
  listeners: [],
  speaker: null,
  canWhisper: false,
  maySpeak: false,
  isLost: false,
};
