import type { Flow, TransportName } from '../sip/flow.js';
import { parseCseq, type SipMessage } from '../sip/message.js';
import { withoutSecrets } from '../sip/secrets.js';

/** One message of a leg's signalling, for a ladder diagram. */
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
  /** Our side as the far end is told of it: a connection of ours comes from a port of its own. */
  local: { address: string; port: number };
  remote: { address: string; port: number };
  /** The message as it is on the wire, with passwords, keys and digits starred out; one character per byte (latin1). */
  wire: string;
}

/** `localPort`: where the far end reaches the endpoint. */
export function sipEventOf(
  direction: 'in' | 'out',
  message: SipMessage,
  flow: Flow,
  data: Buffer,
  localPort: number,
): SipEvent {
  const response = message.kind === 'response';
  return {
    direction,
    at: Date.now(),
    method: response ? (parseCseq(message.headers.get('cseq'))?.method ?? '') : message.method,
    ...(response ? { status: message.status } : {}),
    summary: response ? `${message.status} ${message.reason}` : message.method,
    transport: flow.transport,
    local: { address: flow.localAddress, port: localPort },
    remote: { address: flow.address, port: flow.port },
    wire: withoutSecrets(data.toString('latin1')),
  };
}
