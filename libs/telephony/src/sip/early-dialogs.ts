import type { DialogSession } from './dialog-session.js';
import type { SipRequest, SipResponse } from './message.js';
import { ReliableProvisionalReceiver } from './reliable-provisionals.js';
import { responseTo } from './responses.js';
import { tagOf } from './sip-address.js';
import type { ServerTransaction } from './transaction.js';
import type { DialogHandler, UaCore } from './ua-core.js';

/** An early dialog with one phone that may answer. */
interface EarlyDialog {
  session: DialogSession;
  provisionals: ReliableProvisionalReceiver;
}

/** More phones than ring for one call: a larger number is an attack or a fault. */
export const MAX_FORKS = 20;

/** The early dialogs of one INVITE, one per To tag (RFC 3261 §12.1), and the requests inside them. */
export class EarlyDialogs implements DialogHandler {
  private readonly dialogs = new Map<string, EarlyDialog>();
  private owned?: { callId: string; localTag: string };

  constructor(
    private readonly core: UaCore,
    private readonly newSession: (response: SipResponse) => DialogSession,
    private readonly invite: SipRequest,
  ) {}

  /** The early dialog of that response, created by the first one; undefined without a To tag. */
  of(response: SipResponse): EarlyDialog | undefined {
    const tag = tagOf(response.headers.get('to'));
    const known = tag === undefined ? undefined : this.dialogs.get(tag);
    if (known || tag === undefined || this.dialogs.size >= MAX_FORKS) return known;
    const session = this.newSession(response);
    const fork = { session, provisionals: new ReliableProvisionalReceiver(session.requests, this.invite) };
    this.dialogs.set(tag, fork);
    this.adopt(session);
    return fork;
  }

  /** The early dialog that is answered by `response`, if there was one. */
  answeredBy(response: SipResponse): EarlyDialog | undefined {
    return this.dialogs.get(tagOf(response.headers.get('to')) ?? '');
  }

  receive(request: SipRequest, transaction: ServerTransaction): void {
    const fork = this.dialogs.get(tagOf(request.headers.get('from')) ?? '');
    if (fork) fork.session.receive(request, transaction);
    else transaction.respond(responseTo(request, 481));
  }

  receiveAck(): void {
    // No response awaits an ACK before the answer.
  }

  /** Ends all early dialogs except the one that was answered. */
  end(winner?: DialogSession): void {
    for (const { session } of this.dialogs.values()) if (session !== winner) session.end();
    this.dialogs.clear();
    if (this.owned) this.core.release(this.owned.callId, this.owned.localTag, this);
  }

  dispose(): void {
    for (const { session } of this.dialogs.values()) session.dispose();
  }

  private adopt({ dialog: { callId, localTag } }: DialogSession): void {
    if (this.owned) return;
    this.owned = { callId, localTag };
    this.core.adopt(callId, localTag, this);
  }
}
