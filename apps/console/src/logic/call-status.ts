import { words } from './format.js';
import type { Call } from '../api/types.js';

/** A call that the service cut is `completed` in the API, but must not look like a success. */
const CUT_OFF = 'cut_off';

/** The displayed status: `cut_off` for an answered call that ended because its dialer stopped, `scheduled` while a call waits for its time. */
export function shownStatus(call: Pick<Call, 'status' | 'hangup_cause' | 'scheduled_for'>): string {
  if (call.scheduled_for !== null) return 'scheduled';
  return call.status === 'completed' && call.hangup_cause === 'drained' ? CUT_OFF : call.status;
}

/** A status with its cause in words, of an event of any release: `Cut off: the service was stopped`. */
export function statusWords(status: string, cause: string | undefined): string {
  if (status === 'completed' && cause === 'drained') return `${words(CUT_OFF)}: ${lower(CAUSES.drained)}`;
  return cause === undefined ? words(status) : `${words(status)}: ${lower(words(cause))}`;
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Why a call ended, in plain words. */
export const CAUSES: Readonly<Record<NonNullable<Call['hangup_cause']>, string>> = {
  normal_clearing: 'Hung up',
  user_busy: 'The line was busy',
  no_answer: 'No answer',
  call_rejected: 'The call was declined',
  cancelled: 'Cancelled before the answer',
  do_not_call: 'The number is on the do-not-call list',
  contact_limit: 'The contact limit of the number was reached',
  outside_window: 'The calling window closed',
  campaign_stopped: 'The campaign was stopped',
  unallocated_number: 'The number does not exist',
  number_changed: 'The number has changed',
  invalid_number_format: 'The carrier rejected the number format',
  auth_failed: 'The carrier rejected the credentials',
  rejected_by_carrier: 'The carrier rejected the call',
  redirected: 'Redirected to a destination that is not allowed',
  request_refused: 'The remote party rejected the call for a technical reason',
  incompatible_media: 'No common audio codec',
  incompatible_address: 'The remote party requires an IP version for audio that is not available here',
  service_unavailable: 'The carrier was unavailable',
  no_response: 'The carrier did not respond',
  network_error: 'The carrier could not be reached',
  blocked_destination: 'The destination is blocked',
  spend_limit: 'The daily spending limit was reached',
  concurrency_limit: 'The concurrency limit was reached',
  originator_cancel: 'The caller hung up before the answer',
  media_unavailable: 'No media capacity was available',
  agent_hangup: 'The agent hung up',
  answering_machine: 'An answering machine picked up',
  message_left: 'The agent left its message',
  recording_refused: 'The other party did not agree to the recording',
  max_duration: 'The maximum duration was reached',
  media_timeout: 'No more audio was received',
  media_address_refused: 'The audio address is not allowed, and no audio arrived',
  session_expired: 'The remote party stopped responding',
  transferred: 'The call was transferred',
  agent_provider_error: 'The voice provider failed',
  drained: 'The service was stopped',
  worker_lost: 'The process handling the call failed',
  deactivated: 'The agent, number or trunk was deactivated',
  skipped_by_webhook: 'The pre-call webhook skipped the call',
  closed: 'The number was closed',
  queue_abandoned: 'The caller hung up while waiting',
  queue_timeout: 'The caller waited too long for a free agent',
  queue_expired: 'The call expired in the queue after a day',
  not_connected: 'No page opened the web call in time',
};
