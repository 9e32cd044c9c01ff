import type { TransportName } from '../sip/flow.js';
import { parseCseq, type SipMessage } from '../sip/message.js';

/** One message of a leg's signalling, for a ladder diagram; without headers and bodies. */
export interface SipEvent {
  direction: 'in' | 'out';
  /** Milliseconds since 1970. */
  at: number;
  method: string;
  /** Of a response. */
  status?: number;
  /** `INVITE`, or `180 Ringing`. */
  summary: string;
  transport: TransportName;
}

export function sipEventOf(direction: 'in' | 'out', message: SipMessage, transport: TransportName): SipEvent {
  const at = Date.now();
  if (message.kind === 'request') return { direction, at, method: message.method, summary: message.method, transport };
  const method = parseCseq(message.headers.get('cseq'))?.method ?? '';
  return { direction, at, method, status: message.status, summary: `${message.status} ${message.reason}`, transport };
}
