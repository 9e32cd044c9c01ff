import type { OwnedCall, TransferRecord, TransferResult } from '@app/calls';
import { isoTime, type Log } from '@app/common';
import type { LegEnd } from '@app/telephony';
import { ToolFailed } from '@app/voice';
import type { ConversationClock } from '../agent/conversation-clock.js';
import type { CallRecordsService } from '../call/call-records.service.js';

/** The facts of an attempt before it is dialled. */
interface NewTransfer {
  to: string;
  from: string | null;
  method: TransferRecord['method'];
  mode: TransferRecord['mode'];
  destination: string | null;
}

/** Where the events of a call are recorded. */
export interface CallNotes {
  note(type: string, data: Record<string, unknown>): void;
}

/** The attempts of one call, in `transfers` and in the events of the call. */
export class TransferLog {
  /** Oldest first; kept on the call. */
  readonly records: TransferRecord[] = [];
  private isWriteDue = false;
  private storing: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: Pick<CallRecordsService, 'recordTransfers'>,
    private readonly log: Pick<Log, 'error'>,
    private readonly call: OwnedCall,
    private readonly clock: Pick<ConversationClock, 'now'>,
    private readonly notes: CallNotes,
  ) {}

  /** Now, as ISO 8601. */
  get now(): string {
    return isoTime(this.clock.now());
  }

  add({ to, from, method, mode, destination }: NewTransfer, more: Partial<TransferRecord> = {}): TransferRecord {
    const record: TransferRecord = {
      ...{ to_number: to, from_number: from, method, status: 'dialing', mode, destination },
      ...{ started_at: this.now, answered_at: null, joined_at: null, ended_at: null },
      ...{ hangup_cause: null, sip_code: null, accepted_by: null, declined_reason: null },
      ...more,
    };
    this.records.push(record);
    this.report(record);
    return record;
  }

  change(record: TransferRecord, change: Partial<TransferRecord>): void {
    Object.assign(record, change);
    this.report(record);
  }

  /** The second leg has ended. */
  end(record: TransferRecord, end: LegEnd): void {
    const times = { ended_at: this.now, hangup_cause: end.cause, sip_code: end.sipCode ?? null };
    this.change(record, { status: statusAfter(record, end), ...times });
  }

  /** Resolves when the changes so far are stored. */
  stored(): Promise<void> {
    return this.storing;
  }

  /** One write after the other, so that the last one is the latest state. The caller does not wait for the database. */
  private report({ status, method, destination, hangup_cause, sip_code, ...more }: TransferRecord): void {
    const { accepted_by, declined_reason } = more;
    this.notes.note('transfer', {
      ...{ status, method, destination, hangup_cause, sip_code, accepted_by, declined_reason },
    });
    if (this.isWriteDue) return;
    this.isWriteDue = true;
    this.storing = this.storing.then(() => this.write());
  }

  private async write(): Promise<void> {
    this.isWriteDue = false;
    const live = this.records.at(-1)?.ended_at === null;
    try {
      await this.store.recordTransfers(this.call, this.records, live);
    } catch (err) {
      this.log.error({ err, call_id: this.call.id }, 'a transfer could not be recorded');
    }
  }
}

function statusAfter(record: TransferRecord, end: LegEnd): TransferRecord['status'] {
  if (record.declined_reason !== null) return 'declined';
  return record.joined_at === null && end.status === 'completed' ? 'cancelled' : end.status;
}

/** The status of a call that the remote party placed, by its SIP status; undefined: no report arrived. */
export function statusOf(status: number | undefined): TransferRecord['status'] {
  if (status === 486 || status === 600 || status === 603) return 'busy';
  return status === 408 || status === 480 || status === 487 ? 'no_answer' : 'failed';
}

const MESSAGES: Partial<Record<string, string>> = {
  busy: 'The other party is busy or declined the call.',
  no_answer: 'The other party did not answer.',
  cancelled: 'The transfer was cancelled.',
  key: 'The other party declined the call.',
  voice: 'The other party declined the call.',
  no_reaction: 'The other party answered and did not take the call.',
  hung_up: 'The other party hung up without taking the call.',
  voicemail: 'A voicemail answered.',
  fax: 'A fax machine answered.',
};

/** The error for the agent when an attempt failed; `end`: of the second leg, when it ended by itself. */
export function failureOf(result: TransferResult, end?: LegEnd): ToolFailed {
  if (result.type === 'declined')
    return new ToolFailed(CODES[result.reason] ?? 'declined', MESSAGES[result.reason] ?? 'The call was declined.');
  const status = result.type === 'cancelled' ? 'cancelled' : (end?.status ?? 'failed');
  return new ToolFailed(status, MESSAGES[status] ?? 'The other party could not be reached.');
}

/** The codes of attempts that were not declined by a person. */
const CODES: Partial<Record<string, string>> = { voicemail: 'voicemail', fax: 'fax', no_reaction: 'no_reaction' };

/** The error of a transfer that several destinations did not take: one sentence for each. */
export function failureOfAll(failed: readonly { name: string | null; error: ToolFailed }[]): ToolFailed {
  const [first] = failed;
  if (first && failed.length === 1) return first.error;
  const problems = failed.map(({ name, error }) => `${name ?? 'The destination'}: ${error.message}`);
  return new ToolFailed('not_transferred', 'No destination took the call.', problems);
}
