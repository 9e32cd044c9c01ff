import { startWebCall, type WebCall, WebCallError, type WebCallEnd, type WebCallEvent } from '@app/client/web';
import { signal } from '@preact/signals';
import { ApiError, ask } from './client.js';
import { may } from './me.js';
import { apiPath } from './path.js';
import type { AgentVersion, ListOf, WebCallTicket, WholeCall } from './types.js';
import { CAUSES } from '../logic/call-status.js';
import { loudnessOf } from '../logic/loudness.js';
import { speakerOf, type SpokenTurn, withWords } from '../logic/spoken.js';
import type { TalkSettings } from '../logic/talk-settings.js';

/** The script of the audio threads, beside this page: its content security policy allows no other source. */
export const WORKLET_URL = new URL('worklet.js', location.href.split('#')[0]).href;

export type TalkState =
  | { name: 'idle' }
  | { name: 'starting'; step: 'microphone' | 'connecting' }
  /** `since`: when the agent answered; absent while it rings. `isLost`: the connection is being made again. */
  | { name: 'live'; callId: string; since?: string; isLost: boolean }
  | { name: 'over'; sentence: string; isBad: boolean; callId?: string };

interface TalkOrder {
  agentId: number;
  variables: Readonly<Record<string, string | number | boolean>> | undefined;
  /** Absent: the published version. */
  settings?: TalkSettings;
  /** What the editor would store as a draft. */
  body?: Record<string, unknown>;
}

/** A talk with an agent in this browser, one after the other. */
export class Talk {
  readonly state = signal<TalkState>({ name: 'idle' });
  readonly turns = signal<readonly SpokenTurn[]>([]);
  readonly isMuted = signal(false);
  /** A sentence about a problem with which the talk goes on. */
  readonly notice = signal('');
  /** The keys of the person. */
  readonly pressed = signal('');
  private call: WebCall | undefined;
  private starting = new AbortController();
  private loudness = { user: 0, agent: 0 };

  /** Loudness of both sides from 0 to 1. */
  levels(): { user: number; agent: number } {
    return this.loudness;
  }

  /**
   * Asks for the microphone, then creates the call. Call it in the handler of a click: browsers start audio only there.
   * @param onStored called when the unsaved settings were stored as a draft
   * @throws ApiError when the service refuses the call; other problems are the end of the talk
   */
  async start(order: TalkOrder, onStored: () => void = () => {}): Promise<void> {
    if (this.state.value.name === 'starting' || this.state.value.name === 'live') return;
    const before = this.state.value;
    this.starting = new AbortController();
    const { signal: stop } = this.starting;
    this.turns.value = [];
    this.notice.value = this.pressed.value = '';
    this.isMuted.value = false;
    this.loudness = { user: 0, agent: 0 };
    this.state.value = { name: 'starting', step: 'microphone' };
    let callId: string | undefined;
    const create = async (): Promise<WebCallTicket> => {
      this.state.value = { name: 'starting', step: 'connecting' };
      const ticket = await createCall(order, onStored, stop);
      callId = ticket.call_id;
      return ticket;
    };
    try {
      this.call = await startWebCall(create, {
        signal: stop,
        language: 'en',
        workletUrl: WORKLET_URL,
        onEvent: (event) => this.take(event, callId),
      });
      if (this.state.value.name === 'starting') this.changeStatus(this.call.status, callId);
    } catch (error) {
      if (stop.aborted) {
        this.state.value = { name: 'idle' };
      } else if (error instanceof WebCallError && !(error.cause instanceof ApiError)) {
        await this.finish({ status: 'ended', cause: null, message: error.message }, callId);
      } else {
        // The form shows it, at the field that it is about.
        this.state.value = before;
        if (error instanceof WebCallError && error.cause instanceof ApiError) throw error.cause;
        throw error;
      }
    }
  }

  mute(isMuted: boolean): void {
    this.call?.mute(isMuted);
    this.isMuted.value = isMuted;
  }

  pressKey(key: string): void {
    this.call?.sendDigits(key);
    this.pressed.value += key;
  }

  hangUp(): void {
    // Also when the page is left while the call is being made.
    if (this.call) this.call.hangUp();
    else this.starting.abort();
  }

  private take(event: WebCallEvent, callId = this.call?.callId): void {
    switch (event.type) {
      case 'status':
        return this.changeStatus(event.status, callId);
      case 'transcript':
        this.turns.value = withWords(this.turns.value, { ...event, role: speakerOf(event.role) });
        return;
      case 'levels':
        this.loudness = { user: loudnessOf(event.input), agent: loudnessOf(event.output) };
        if (event.input > AUDIBLE) this.notice.value = '';
        return;
      case 'problem':
        this.notice.value = event.message;
        return;
      case 'ended':
        if (this.state.value.name === 'live') void this.finish(event, callId);
        return;
    }
  }

  private changeStatus(status: string, callId: string | undefined): void {
    if (callId === undefined || status === 'connecting') return;
    const { value: before } = this.state;
    const since = before.name === 'live' ? before.since : undefined;
    const answeredAt = since ?? (status === 'in_progress' ? new Date().toISOString() : undefined);
    this.state.value = {
      name: 'live',
      callId,
      isLost: status === 'reconnecting',
      ...(answeredAt !== undefined && { since: answeredAt }),
    };
  }

  private async finish(end: WebCallEnd, callId: string | undefined): Promise<void> {
    this.call = undefined;
    this.turns.value = this.turns.value.map((turn) => ({ ...turn, final: true }));
    const isBad = end.message !== undefined || UNWANTED.has(end.status);
    const over = { name: 'over' as const, isBad, ...(callId !== undefined && { callId }) };
    this.state.value = { ...over, sentence: sentenceOf(end) };
    const failure = end.status === 'failed' && callId !== undefined ? await failureOf(callId) : undefined;
    if (failure !== undefined) this.state.value = { ...over, sentence: failure };
  }
}

/** Above the noise of an open microphone. */
const AUDIBLE = 0.05;

/** Statuses of calls that did not take place, or broke off. */
const UNWANTED: ReadonlySet<string> = new Set(['failed', 'busy', 'no_answer']);

/** Why a call failed, such as the key that its provider lacks; undefined if the session may not read it. */
async function failureOf(callId: string): Promise<string | undefined> {
  if (!may('calls:read')) return undefined;
  try {
    return (await ask<{ data: WholeCall }>('GET', apiPath`calls/${callId}`)).data.failure?.message;
  } catch (error) {
    // The cause is shown in any case.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

const HUNG_UP = 'The talk has ended.';

function sentenceOf({ cause, message }: WebCallEnd): string {
  if (message !== undefined) return message;
  const why = cause === null || cause === 'normal_clearing' ? undefined : CAUSES[cause as keyof typeof CAUSES];
  return why === undefined ? HUNG_UP : `The talk has ended: ${why.charAt(0).toLowerCase()}${why.slice(1)}.`;
}

async function createCall(order: TalkOrder, onStored: () => void, stop: AbortSignal): Promise<WebCallTicket> {
  const { agentId, variables, settings = { kind: 'published' }, body = {} } = order;
  const version = settings.kind === 'draft' ? await storeDraft(agentId, body, stop) : undefined;
  if (version !== undefined) onStored();
  const { data } = await ask<{ data: WebCallTicket }>('POST', apiPath`web-calls`, {
    body: {
      agent_id: agentId,
      ...(variables && { variables }),
      ...(version !== undefined && { version }),
      ...(settings.kind === 'overrides' && { agent_overrides: settings.overrides }),
    },
    signal: stop,
  });
  return data;
}

/** One draft per agent takes the unsaved settings of its talks. */
const NOTE = 'Unsaved settings of the editor, tried by talking';

async function storeDraft(agentId: number, body: Record<string, unknown>, stop: AbortSignal): Promise<number> {
  const path = apiPath`agents/${agentId}/versions`;
  const query = { per_page: 100 };
  const { data: versions } = await ask<ListOf<AgentVersion>>('GET', path, { query, signal: stop });
  const draft = versions.find(({ state, note }) => state === 'draft' && note === NOTE);
  const stored = { body: { ...body, note: NOTE }, signal: stop };
  const { data } = draft
    ? await ask<{ data: AgentVersion }>('PATCH', apiPath`${path}/${draft.version}`, stored)
    : await ask<{ data: AgentVersion }>('POST', path, stored);
  return data.version;
}

/** Whether the browser gives the microphone to this page. `insecure`: only to pages on https or localhost. */
type MicrophoneState = 'granted' | 'prompt' | 'denied' | 'insecure';

export async function microphoneState(): Promise<MicrophoneState> {
  if (!isSecureContext || navigator.mediaDevices === undefined) return 'insecure';
  try {
    return (await navigator.permissions.query({ name: 'microphone' })).state;
  } catch (error) {
    // Firefox before 131 does not know this permission.
    if (error instanceof TypeError) return 'prompt';
    throw error;
  }
}
