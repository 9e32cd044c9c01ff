import type { TransferRecord } from '@app/calls';
import type { LegEnd } from '@app/telephony';
import { ToolFailed } from '@app/voice';

/** `at`: now, as ISO 8601. */
export const newTransfer = (
  to: string,
  from: string | null,
  method: TransferRecord['method'],
  at: string,
): TransferRecord => ({
  to_number: to,
  from_number: from,
  method,
  status: 'dialing',
  started_at: at,
  answered_at: null,
  ended_at: null,
  hangup_cause: null,
  sip_code: null,
});

/** The record with the end of the second leg. */
export const ended = (record: TransferRecord, end: LegEnd, at: string): Partial<TransferRecord> => ({
  status: record.answered_at === null && end.status === 'completed' ? 'cancelled' : end.status,
  ended_at: at,
  hangup_cause: end.cause,
  sip_code: end.sipCode ?? null,
});

/** The same for a call that the remote party placed, by its SIP status; undefined: no report arrived. */
export function statusOf(status: number | undefined): TransferRecord['status'] {
  if (status === 486 || status === 600 || status === 603) return 'busy';
  return status === 408 || status === 480 || status === 487 ? 'no_answer' : 'failed';
}

const MESSAGES: Partial<Record<LegEnd['status'], string>> = {
  busy: 'The other party is busy or declined the call.',
  no_answer: 'The other party did not answer.',
};

/** The error for the agent when the second leg failed. */
export function failureOf({ status }: LegEnd): ToolFailed {
  return new ToolFailed(status, MESSAGES[status] ?? 'The other party could not be reached.');
}

/** The billed time of the second leg. */
export function connectedMs({ answered_at: from, ended_at: to }: TransferRecord): number {
  return from === null || to === null ? 0 : Math.max(0, Date.parse(to) - Date.parse(from));
}
