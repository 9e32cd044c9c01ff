import type { Authorizer } from '../messages/digest.js';
import { acknowledge, DialogRequests } from './dialog-requests.js';
import { Dialog } from './dialog.js';
import type { Flow } from '../transport/flow.js';
import { type InviteParts, invitePartsOf } from '../user-agent/invite-requests.js';
import type { SipRequest, SipResponse } from '../messages/message.js';
import type { CallPeer } from '../messages/message-source.js';
import { MAX_FORKS } from './provisional-responses.js';
import { tagOf } from '../messages/sip-address.js';
import type { ClientUser } from '../transactions/transaction.js';
import type { UaCore } from '../user-agent/ua-core.js';

/**
 * The ACKs of one INVITE. After its call it is the user of the INVITE transaction for 32 s, in which a repeated 2xx gets its ACK again
 * and the 2xx of another phone is hung up (RFC 3261 §13.2.2.4); so it keeps neither the call nor a message.
 */
export class AnsweredInvite implements ClientUser {
  private readonly acks: { remoteTag: string; again: () => void }[] = [];
  private readonly parts: InviteParts;

  constructor(
    private readonly core: UaCore,
    private readonly flow: Flow,
    private readonly authorizer: Authorizer,
    private readonly peer: CallPeer,
    invite: SipRequest,
  ) {
    this.parts = invitePartsOf(invite);
  }

  /** Whether the 2xx needs nothing else: its ACK is sent again, or too many phones have answered. */
  absorbs(response: SipResponse): boolean {
    const known = this.acks.find(({ remoteTag }) => remoteTag === remoteTagOf(response));
    known?.again();
    // Each costs an ACK and a BYE to a Contact that the remote party chose.
    return known !== undefined || this.acks.length >= MAX_FORKS;
  }

  acknowledge(dialog: Dialog, response: SipResponse): void {
    dialog.confirm(response);
    this.acks.push({ remoteTag: remoteTagOf(response), again: acknowledge(this.core, dialog, this.parts) });
  }

  onResponse(response: SipResponse): void {
    if (response.status >= 300 || this.absorbs(response)) return;
    const dialog = Dialog.ofResponse(this.core, this.parts, response, this.flow, this.peer);
    this.acknowledge(dialog, response);
    new DialogRequests(this.core, dialog, '', this.authorizer).bye();
  }

  onFailure(): void {
    // The call has ended.
  }
}

const remoteTagOf = (response: SipResponse): string => tagOf(response.headers.get('to')) ?? '';
