import type { CallEvent } from '@app/webhooks';
import type { CallStatus } from './call.js';

/** A change of a call; the final ones are named after the result of the SIP dialog. */
export type CallChange = 'ringing' | 'answered' | 'completed' | 'failed' | 'no_answer' | 'busy' | 'cancelled';

export type FinalChange = Exclude<CallChange, 'ringing' | 'answered'>;

export const ACTIVE_STATUSES: readonly CallStatus[] = ['pending', 'ringing', 'in_progress'];

export const isActive = (status: CallStatus): boolean => ACTIVE_STATUSES.includes(status);

const TRANSITIONS: Record<CallChange, { from: readonly CallStatus[]; to: CallStatus }> = {
  ringing: { from: ['pending'], to: 'ringing' },
  // A 200 may arrive without a 180 before it.
  answered: { from: ['pending', 'ringing'], to: 'in_progress' },
  completed: { from: ['in_progress'], to: 'completed' },
  failed: { from: ACTIVE_STATUSES, to: 'failed' },
  no_answer: { from: ['pending', 'ringing'], to: 'no_answer' },
  busy: { from: ['pending', 'ringing'], to: 'busy' },
  cancelled: { from: ['pending', 'ringing'], to: 'cancelled' },
};

/** The status after `change`; undefined when the change does not apply (a second 180, anything after the end). */
export function nextState(status: CallStatus, change: CallChange): CallStatus | undefined {
  const { from, to } = TRANSITIONS[change];
  return from.includes(status) ? to : undefined;
}

const EVENTS: Record<CallStatus, CallEvent> = {
  pending: 'initiated',
  ringing: 'ringing',
  in_progress: 'in-progress',
  completed: 'completed',
  failed: 'failed',
  no_answer: 'no-answer',
  busy: 'busy',
  cancelled: 'cancelled',
};

/** The event of the status webhook, which spells statuses with hyphens. */
export const eventOf = (status: CallStatus): CallEvent => EVENTS[status];
