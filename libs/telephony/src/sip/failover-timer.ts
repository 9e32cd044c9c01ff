import { createSocket, type Socket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import type { Flow } from './flow.js';
import { transportErrorCode } from './transport-error.js';

/** The double CRLF keep-alive (RFC 5626 §3.5.1): SIP servers do not take it for a message. */
const KEEP_ALIVE = Buffer.from('\r\n\r\n');

interface FailoverTimeouts {
  /** Longest wait for the first answer, in ms. */
  silenceMs: number;
  /** Wait for an answer after the system has reported the target unreachable, in ms. */
  refusedMs: number;
}

/**
 * Calls `onSilent` once when the call should fail over: after `silenceMs`, or over UDP `refusedMs` after an ICMP error. The shared SIP
 * socket is not connected and so receives no ICMP errors; a separate connected socket receives them. A firewall may refuse that port only,
 * so a response within `refusedMs` still counts.
 * @returns stops the timer, once the target has answered
 */
export function startFailoverTimer(flow: Flow, options: FailoverTimeouts, onSilent: () => void): () => void {
  let probe: Socket | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    probe?.close();
    probe = undefined;
  };
  const giveUp = (): void => {
    stop();
    onSilent();
  };
  let timer = setTimeout(giveUp, options.silenceMs);
  const refused = (): void => {
    if (!probe) return;
    clearTimeout(timer);
    timer = setTimeout(giveUp, Math.min(options.refusedMs, options.silenceMs));
  };
  if (flow.transport === 'udp') probe = probeOf(flow, refused);
  return stop;
}

function probeOf({ address, port }: Flow, onRefused: () => void): Socket {
  const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  let open = true;
  const failed = (error: Error): void => {
    if (['connection_refused', 'no_route'].includes(transportErrorCode(error))) onRefused();
  };
  socket.on('close', () => (open = false)).on('error', failed);
  socket.connect(port, address, (error?: Error) => {
    if (error) failed(error);
    else if (open) socket.send(KEEP_ALIVE);
  });
  return socket;
}
