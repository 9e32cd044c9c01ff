import type { Dialog } from './dialog.js';
import { parseCseq, type SipRequest } from './message.js';
import type { UaCore } from './ua-core.js';

/** Sends the ACK of a 2xx now, and again whenever the returned function is called: the 2xx came once more (RFC 3261 §13.2.2.4). */
export function acknowledge(core: UaCore, dialog: Dialog, invite: SipRequest): () => void {
  const ack = dialog.ack(parseCseq(invite.headers.get('cseq'))!.number);
  // §22.1: the ACK carries the credentials of its INVITE.
  invite.headers.copyTo(ack.headers, 'authorization');
  invite.headers.copyTo(ack.headers, 'proxy-authorization');
  const failed = (error: Error): void => {
    core.log.debug('ACK could not be sent', { problem: error.message, call_id: dialog.callId });
  };
  const send = (): void => void dialog.flow().then((flow) => core.layer.ack(ack, flow, failed));
  send();
  return send;
}
