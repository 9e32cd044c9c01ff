import { CALL_COLUMNS, type CallRow, NOT_DIALLED } from '../src/call.entity.js';
import type { SipMessageRow } from '../src/presenters/diagnostics.presenter.js';

const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

/** A message as it is stored; `ms` after the first of its call. */
export function sipMessage(
  text: string,
  { ms = 0, ...more }: Partial<SipMessageRow> & { ms?: number } = {},
): SipMessageRow {
  return {
    seq: 1,
    leg: 1,
    at: new Date(START + ms),
    direction: 'out',
    transport: 'udp',
    local_address: '192.0.2.1',
    local_port: 5060,
    remote_address: '198.51.100.7',
    remote_port: 5070,
    message: Buffer.from(text),
    retransmissions: 0,
    repeated_at: [],
    ...more,
  };
}

const EMPTY = Object.fromEntries(CALL_COLUMNS.split(', ').map((column) => [column, null])) as unknown as CallRow;

export const callRow = (more: Partial<CallRow>): CallRow => ({
  ...EMPTY,
  ...NOT_DIALLED,
  id: '019e4a52-7c1e-7b4e-9a57-3f1f0f6f2a11',
  account_id: 1,
  agent_id: 1,
  number_id: 1,
  direction: 'outbound',
  channel: 'phone',
  to_number: '+15550002222',
  from_number: '+15550001111',
  agent_name: 'Receptionist',
  record: false,
  settings: {},
  created_at: new Date(START),
  webhook_seq: 0,
  ...more,
});
