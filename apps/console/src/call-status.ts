import { words } from './format.js';
import type { Call } from './types.js';

/** A call that the service itself cut is `completed` in the API and must not look like a success. */
const CUT_OFF = 'cut_off';

/** The status as people should see it: `cut_off` for an answered call that the stop of its dialer ended. */
export const shownStatus = ({ status, hangup_cause }: Pick<Call, 'status' | 'hangup_cause'>): string =>
  status === 'completed' && hangup_cause === 'drained' ? CUT_OFF : status;

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
  no_answer: 'Nobody answered',
  call_rejected: 'The call was declined',
  cancelled: 'Cancelled before the answer',
  unallocated_number: 'There is no such number',
  number_changed: 'The number has changed',
  invalid_number_format: 'The carrier does not understand the number',
  auth_failed: 'The carrier refused the credentials',
  rejected_by_carrier: 'The carrier refused the call',
  redirected: 'Redirected to where calls may not go',
  request_refused: 'The remote party refused it for a technical reason',
  incompatible_media: 'The two ends have no audio format in common',
  incompatible_address: 'The other end wants its audio at an IP version that is not available here',
  service_unavailable: 'The carrier is out of order or silent',
  network_error: 'The carrier could not be reached',
  blocked_destination: 'Calls may not go to this network',
  spend_limit: 'The daily spending limit was reached',
  concurrency_limit: 'Too many calls at once',
  originator_cancel: 'The caller hung up before the answer',
  media_unavailable: 'There was no room for its audio',
  agent_hangup: 'The agent hung up',
  answering_machine: 'An answering machine picked up',
  message_left: 'The agent left its message',
  max_duration: 'The longest duration was reached',
  media_timeout: 'No audio came any more',
  media_address_refused: 'Its audio address is not allowed, and no audio came',
  session_expired: 'The remote party stopped answering',
  transferred: 'The call was transferred',
  agent_provider_error: 'The voice provider failed',
  drained: 'The service was stopped',
  worker_lost: 'The process with the call died',
  deactivated: 'Its agent, number or trunk was made inactive',
  queue_expired: 'It waited in line for a day',
};
