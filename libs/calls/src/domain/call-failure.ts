import type { HangupCause } from '@app/telephony';
import type { CallStatus } from './call.js';

/** Why a call failed. */
export interface CallFailure {
  /** Same as `hangup_cause`. */
  code: string;
  /** A sentence that says what to do. */
  message: string;
}

/** What is stored about the end of a call. */
export interface EndOfCall {
  status: CallStatus;
  hangup_cause: string | null;
  sip_code: number | null;
  /** What was missing, or what a vendor answered; null: the cause says everything. */
  failure_reason: string | null;
}

/** The place of the SIP status in a sentence. */
const SIP = '{sip}';

/** A sentence for each cause of a failed call. */
const MESSAGES: Readonly<Record<HangupCause, string>> = {
  normal_clearing: 'The call ended before it was answered.',
  user_busy: `The callee was busy${SIP}. Call again later.`,
  no_answer: `The call was not answered in time${SIP}. Call again later.`,
  call_rejected: `The callee declined the call${SIP}.`,
  cancelled: 'The call was cancelled before it was answered.',
  unallocated_number: `The number or address does not exist${SIP}. Check it before you call again.`,
  number_changed: `The number has changed or is out of service${SIP}. Ask the contact for the new one.`,
  invalid_number_format: `The carrier does not accept the number${SIP}. Check that it is complete, and that the trunk sends numbers in the format of the carrier.`,
  auth_failed: `The carrier rejected the credentials of the trunk${SIP}. Correct its username and password.`,
  rejected_by_carrier: `The carrier refused the call${SIP}. Ask it whether the trunk may call this destination with this caller ID.`,
  redirected: `The remote party redirected the call${SIP} to an address that is not allowed or cannot be reached. Call that address directly, or allow it.`,
  request_refused: `The remote party did not accept the request${SIP}. The SIP messages of the call show its answer.`,
  incompatible_media: `Both sides have no audio codec in common${SIP}. Compare the codecs and the encryption of the trunk with those of the carrier.`,
  incompatible_address:
    'The audio address of the remote party has an IP version that this service does not have. Ask the carrier for an address of the other version.',
  service_unavailable: `The carrier was out of service${SIP}. Call again later, or add another target to the trunk.`,
  no_response:
    'The carrier sent no response. Check the address of the trunk, and that its firewall and yours let the SIP messages pass.',
  network_error:
    'The carrier could not be reached. Check the host name, the port and the transport of the trunk, and the network of this service.',
  blocked_destination:
    'The account, the trunk or the network rules do not allow the destination. Allow it, or call another one.',
  spend_limit: 'The daily spend limit of the account was reached. Raise it, or call again tomorrow (UTC).',
  concurrency_limit:
    'The account or the trunk had as many calls at once as its limit allows. Raise the limit, or set a queue for the number.',
  originator_cancel: 'The caller gave up before the call was answered.',
  media_unavailable:
    'No port for the audio of the call was free. Extend the range of RTP ports, or add another dialer.',
  agent_hangup: 'The voice agent ended the call.',
  answering_machine: 'An answering machine picked up.',
  recording_refused: 'The other party did not agree to the recording.',
  message_left: 'An answering machine picked up, and the agent left its message.',
  max_duration: 'The call reached its maximum duration.',
  media_timeout:
    'No audio arrived from the remote party any more. Check that firewalls and address translation let RTP pass in both directions.',
  media_address_refused:
    'The remote party named an audio address that is not allowed, and sent no audio. Allow the address, or let the carrier correct it.',
  session_expired: 'The remote party stopped refreshing the session, and the call was ended. Report it to the carrier.',
  transferred: 'The call was transferred to another party.',
  agent_provider_error: 'The voice agent failed.',
  drained: 'The service was stopped, and the call had not ended by the deadline. Raise DRAIN_SECONDS for longer calls.',
  worker_lost: 'The process that carried the call died. The call is not placed again: create a new one.',
  deactivated:
    'The agent, the number or the trunk was made inactive while the call waited. Activate it and call again.',
  skipped_by_webhook: 'The pre-call webhook of the agent skipped the call.',
  do_not_call: 'The number is on the do-not-call list of the account.',
  contact_limit: 'The number was called as often as the contact limits of the account allow.',
  outside_window:
    'The times at which the number may be called were over. Create the call again with a longer window, or check the contact hours of the account.',
  campaign_stopped: 'The campaign of the call was paused or cancelled before the call was placed.',
  closed: 'The number was outside of its business hours.',
  queue_abandoned: 'The caller hung up while waiting for a free agent.',
  queue_timeout: 'The caller waited for a free agent as long as the number allows.',
  queue_expired:
    'The call waited in the queue for a day. Check that a dialer runs, and the limits of concurrent calls.',
  not_connected: 'No page opened the call in time. Create another one, and open it within a minute.',
};

/** After these an answered call is `completed` as well, although it did not end as its parties wanted. */
const CUT_SHORT: ReadonlySet<string> = new Set<HangupCause>([
  'agent_provider_error',
  'media_timeout',
  'media_address_refused',
  'session_expired',
  'drained',
  'worker_lost',
]);

/** Why the call failed or was cut short; null: it did not fail, or has not ended. */
export function callFailure(call: EndOfCall): CallFailure | null {
  const { status, hangup_cause: code } = call;
  if (code === null || !(status === 'failed' || (status === 'completed' && CUT_SHORT.has(code)))) return null;
  return { code, message: messageOf(code, call) };
}

function messageOf(code: string, { sip_code: sip, failure_reason: reason }: EndOfCall): string {
  // A newer release may have stored a cause that this one does not know.
  const message = Object.hasOwn(MESSAGES, code) ? MESSAGES[code as HangupCause] : 'The call failed.';
  const said = message.replace(SIP, sip === null ? '' : ` (SIP ${sip})`);
  return reason === null ? said : `${said} ${reason}`;
}
