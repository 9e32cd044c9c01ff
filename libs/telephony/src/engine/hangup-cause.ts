import type { CallResult } from '../sip/user-agent/call-result.js';

/** Every value of `hangup_cause`, with the sentence that documents it. A closed list: a new value is a change of the API. */
export const HANGUP_CAUSE_MEANINGS = {
  normal_clearing: 'The call was answered, and one side hung up normally.',
  user_busy: 'The callee was busy (486, 600).',
  no_answer:
    'The call was not answered in time, or the callee was temporarily unavailable (408, 480, 487, ring timeout).',
  call_rejected: 'The callee declined the call (603, 607, 608).',
  cancelled: 'The call was cancelled through the API before it was answered.',
  unallocated_number: 'The number or address does not exist (404, 485, 604).',
  number_changed: 'The number has changed or is no longer in service (410).',
  invalid_number_format: 'The number is incomplete, or the destination cannot be dialled (484).',
  auth_failed:
    'The carrier rejected the credentials of the trunk, or required credentials that the trunk does not have (401, 407).',
  rejected_by_carrier: 'The carrier refused to place the call (402, 403 and other 6xx).',
  redirected: 'The remote party redirected the call (3xx) to an address that is not allowed or cannot be reached.',
  request_refused: 'The remote party did not accept the request for a technical reason (any other 4xx).',
  incompatible_media: 'There was no audio codec in common (488, 606, 415).',
  incompatible_address: 'The audio address of the remote party has an IP version that the dialer does not support.',
  service_unavailable: 'The carrier was out of service (5xx).',
  no_response: 'The carrier sent no SIP response at all; the call is not dialled again.',
  network_error: 'The carrier could not be reached: unknown host name, refused connection, or no route.',
  blocked_destination:
    'The account or the trunk does not allow the destination, or it resolves to a forbidden network; no request was sent.',
  spend_limit: 'The daily spend limit of the account was reached before the call was dialled or accepted.',
  concurrency_limit:
    'An inbound call was refused because the account, the trunk or the web key had reached its limit of concurrent calls.',
  originator_cancel: 'The caller of an inbound call gave up before it was answered.',
  media_unavailable: 'The dialer could not open the audio of the call, usually because no RTP port was free.',
  agent_hangup: 'The voice agent ended the call.',
  answering_machine:
    'An answering machine picked up, and the agent is configured to hang up, or a mailbox talked before the answer and never answered.',
  recording_refused: 'The other party did not agree to the recording, and the agent is configured to hang up then.',
  message_left: 'An answering machine picked up, and the agent left its message.',
  max_duration: 'The call reached its maximum duration.',
  media_timeout:
    'No audio or RTCP reports arrived from the remote party for too long, or the remote party no longer knew the call.',
  media_address_refused:
    'The remote party described a forbidden audio address (private, or outside the allowed networks), and sent no audio from the address of its signalling.',
  session_expired: 'The remote party did not refresh the session in time.',
  transferred: 'The call was transferred to another party.',
  agent_provider_error: 'The provider of the voice agent failed.',
  drained: 'The dialer was shut down and the call had not ended by the deadline.',
  worker_lost: 'The dialer of the call died; the call is not dialled again.',
  deactivated:
    'The agent, the number or the trunk of the call was made inactive while the call waited in the queue; it was not dialled.',
  skipped_by_webhook:
    'The pre-call webhook of the agent skipped the call, or failed and is configured to skip; an outbound call was not dialled, an inbound call was declined.',
  do_not_call: 'The number is on the do-not-call list of the account; it was not dialled.',
  contact_limit: 'The number was called as often as the contact limits of the account allow; it was not dialled.',
  outside_window:
    'The times at which the number may be called were over before the call was dialled, or its windows and the contact hours of the account never overlap.',
  campaign_stopped: 'The campaign of the call was paused or cancelled before the call was dialled.',
  closed:
    'The inbound call arrived outside the business hours of the number: it was rejected, or heard the closed message.',
  queue_abandoned: 'The caller hung up while waiting for a free agent.',
  queue_timeout: 'The caller waited for a free agent as long as the number allows.',
  queue_expired: 'The call waited in the queue for a day without being dialled.',
  not_connected: 'No page opened the web call before its token ended.',
} as const;

export type HangupCause = keyof typeof HANGUP_CAUSE_MEANINGS;

export const HANGUP_CAUSES = Object.keys(HANGUP_CAUSE_MEANINGS) as HangupCause[];

export type LegStatus = 'completed' | 'failed' | 'busy' | 'no_answer' | 'cancelled';

/** The party that ended the call. */
export type EndedBy = 'caller' | 'callee' | 'agent' | 'system' | 'carrier';

export interface Outcome {
  status: LegStatus;
  cause: HangupCause;
  endedBy: EndedBy;
}

const CALLEE_BUSY: Outcome = { status: 'busy', cause: 'user_busy', endedBy: 'callee' };
const CALLEE_DECLINED: Outcome = { status: 'busy', cause: 'call_rejected', endedBy: 'callee' };
const UNANSWERED: Outcome = { status: 'no_answer', cause: 'no_answer', endedBy: 'callee' };
const carrier = (cause: HangupCause): Outcome => ({ status: 'failed', cause, endedBy: 'carrier' });

const BY_STATUS: Record<number, Outcome> = {
  401: carrier('auth_failed'),
  402: carrier('rejected_by_carrier'),
  403: carrier('rejected_by_carrier'),
  404: carrier('unallocated_number'),
  407: carrier('auth_failed'),
  408: UNANSWERED,
  410: carrier('number_changed'),
  415: carrier('incompatible_media'),
  480: UNANSWERED,
  484: carrier('invalid_number_format'),
  485: carrier('unallocated_number'),
  486: CALLEE_BUSY,
  // Without our CANCEL: a timer of the carrier expired.
  487: UNANSWERED,
  488: carrier('incompatible_media'),
  600: CALLEE_BUSY,
  603: CALLEE_DECLINED,
  604: carrier('unallocated_number'),
  606: carrier('incompatible_media'),
  607: CALLEE_DECLINED,
  608: CALLEE_DECLINED,
};

/** ITU-T Q.850. 16 (normal clearing) and 31 (normal, unspecified) add no information, so they are missing. */
const BY_Q850: Record<number, HangupCause> = {
  1: 'unallocated_number',
  2: 'unallocated_number',
  3: 'unallocated_number',
  17: 'user_busy',
  18: 'no_answer',
  19: 'no_answer',
  20: 'no_answer',
  21: 'call_rejected',
  22: 'number_changed',
  27: 'service_unavailable',
  28: 'invalid_number_format',
  34: 'service_unavailable',
  38: 'network_error',
  41: 'service_unavailable',
  42: 'service_unavailable',
  57: 'rejected_by_carrier',
  58: 'service_unavailable',
  65: 'incompatible_media',
  79: 'incompatible_media',
  88: 'incompatible_media',
};

const WITHOUT_RESPONSE: Record<Exclude<CallResult['kind'], 'rejected' | 'bye'>, Outcome> = {
  silent: { status: 'failed', cause: 'no_response', endedBy: 'system' },
  unreachable: { status: 'failed', cause: 'network_error', endedBy: 'system' },
  blocked: { status: 'failed', cause: 'blocked_destination', endedBy: 'system' },
  'no-answer': { status: 'no_answer', cause: 'no_answer', endedBy: 'system' },
  cancelled: { status: 'cancelled', cause: 'cancelled', endedBy: 'caller' },
  'session-expired': { status: 'completed', cause: 'session_expired', endedBy: 'system' },
  'foreign-media': { status: 'failed', cause: 'incompatible_address', endedBy: 'system' },
  'no-media': { status: 'failed', cause: 'incompatible_media', endedBy: 'system' },
};

/** Status and cause of a call that ended as `result`. The Q.850 cause refines the cause, never the status. */
export function outcomeOf(result: CallResult): Outcome {
  if (result.kind === 'bye')
    return { status: 'completed', cause: 'normal_clearing', endedBy: result.by === 'remote' ? 'callee' : 'system' };
  if (result.kind !== 'rejected') return WITHOUT_RESPONSE[result.kind];
  const outcome = BY_STATUS[result.status] ?? outcomeOfClass(result.status);
  const refined = result.q850 === undefined ? undefined : BY_Q850[result.q850];
  return refined === undefined ? outcome : { ...outcome, cause: refined };
}

function outcomeOfClass(status: number): Outcome {
  if (status < 400) return carrier('redirected');
  if (status < 500) return carrier('request_refused');
  return carrier(status < 600 ? 'service_unavailable' : 'rejected_by_carrier');
}

const AGENT_HANGUP_CAUSES: readonly HangupCause[] = [
  'agent_hangup',
  'answering_machine',
  'message_left',
  'recording_refused',
];

/** The outcome of a hang-up with a local cause. */
export function outcomeOfHangup(cause: HangupCause, answered: boolean): Outcome {
  const endedBy = AGENT_HANGUP_CAUSES.includes(cause) ? 'agent' : cause === 'cancelled' ? 'caller' : 'system';
  // Cancelling an answered call is a normal hang-up.
  if (answered) return { status: 'completed', cause: cause === 'cancelled' ? 'normal_clearing' : cause, endedBy };
  if (cause === 'cancelled' || cause === 'no_answer') return { status: cause, cause, endedBy };
  // A mailbox talked before the answer.
  if (cause === 'answering_machine') return { status: 'no_answer', cause, endedBy };
  if (cause === 'skipped_by_webhook') return { status: 'cancelled', cause, endedBy };
  return { status: 'failed', cause, endedBy };
}
