import type { ContactOutcome, ContactReason, ContactStatus } from './campaign.js';

const REASONS: Readonly<Record<ContactReason, string>> = {
  campaign_draft: 'The campaign has not been started.',
  campaign_paused: 'The campaign is paused.',
  campaign_cancelled: 'The campaign was cancelled.',
  campaign_ended: 'The campaign has ended.',
  waiting_for_start: 'The schedule of the campaign begins later.',
  waiting_for_capacity: 'The contact is due and waits for a free call of the campaign, the account or the trunk.',
  waiting_for_window: 'The contact waits for the next window of the schedule in its time zone.',
  waiting_for_retry: 'The last attempt did not reach the contact; the next one follows after the delay of its outcome.',
  not_before: 'The contact must not be called before its `not_before`.',
  contact_limit: 'The contact limits of the account allow no further attempt to this number yet.',
  do_not_call: 'The number is on the do-not-call list of the account.',
  attempts_exhausted: 'No attempt is left, or the outcome of the last one is not repeated.',
  blocked_destination: 'The account or the installation does not allow calls to this destination.',
  invalid_number: 'The number cannot be called.',
  missing_variables: 'A variable that the agent requires has no value for this contact.',
  missing_disclosure:
    'The campaign requires a disclosure, and the agent has none in its language for the number of the contact.',
  skipped_by_webhook: 'The pre-call webhook skipped the call.',
  never_open: 'The schedule has no window that is open in all time zones of the number.',
  call_cancelled: 'The call was cancelled by a request.',
  removed: 'The contact was removed.',
};

/** Status and reason of a contact as a sentence. */
export function contactSentence(
  { status, outcome }: { status: ContactStatus; outcome: ContactOutcome | null },
  reason: ContactReason | null,
): string {
  if (reason) return REASONS[reason];
  if (status === 'calling') return 'The contact is being called, or its call waits to be dialled.';
  if (status === 'reached')
    return outcome === 'machine' ? 'An answering machine took the call.' : 'The contact answered.';
  return status === 'waiting' ? 'The contact waits to be called.' : 'The contact is not called any more.';
}
