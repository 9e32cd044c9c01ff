import { CallClaimsService } from '@app/calls';
import { endSpan, type Log, newId, type Span, startSpan, traceFields, traceParentOf } from '@app/common';
import { WakeUps } from '@app/queue';
import { LOG } from '@app/settings';
import type { Invitation } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import type { IncomingStart } from './call-run.js';
import { DialerService } from './dialer.service.js';

/** Seconds after which a carrier may try this dialer again. */
const RETRY_AFTER = 5;

/** Finds the number of an inbound call, and passes the call to the dialer or refuses it. */
@Injectable()
export class InboundCallHandler {
  constructor(
    private readonly dialer: DialerService,
    private readonly claims: CallClaimsService,
    private readonly wakeUps: WakeUps,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** A carrier whose call is refused for lack of a place tries its next route, usually another dialer; nothing is stored. */
  async receive(invitation: Invitation): Promise<void> {
    // Trunks of several accounts at one carrier share a turn: which of them is called is not known yet.
    const trunk = invitation.callers.join();
    const received = await this.dialer.receive(trunk, (owner) => this.arrive(invitation, owner));
    if (!received) invitation.refuse(503, RETRY_AFTER);
  }

  private async arrive(invitation: Invitation, owner: string): Promise<IncomingStart | undefined> {
    const span = startSpan('incoming call', { kind: 'SERVER' });
    try {
      return await this.take(invitation, owner, span);
    } catch (err) {
      this.log.error({ err, ...traceFields(traceParentOf(span)) }, 'an inbound call could not be accepted');
      invitation.refuse(503, RETRY_AFTER);
      return undefined;
    } finally {
      endSpan(span);
    }
  }

  private async take(
    invitation: Invitation,
    owner: string,
    span: Span | undefined,
  ): Promise<IncomingStart | undefined> {
    const id = newId();
    const trunkIds = invitation.callers.map(Number);
    const { dialled, caller } = invitation;
    const traceParent = traceParentOf(span);
    const taken = await this.claims.receive({ id, owner, trunkIds, dialled, caller, traceParent });
    span?.setAttributes({ 'trunkline.call_id': id, 'trunkline.outcome': taken.kind });
    if (taken.kind === 'crowded') {
      invitation.refuse(503, RETRY_AFTER);
      return undefined;
    }
    if (taken.kind === 'unknown') {
      this.log.warn({ trunk_ids: trunkIds }, 'a call to an unknown number was refused');
      invitation.refuse(404);
      return undefined;
    }
    this.wakeUps.wake('webhooks');
    if (taken.kind === 'taken') return { id, invitation };
    const { status, hangup_cause: cause, sip_code: sipCode } = taken.call;
    this.log.info({ call_id: id, status, cause, sip_code: sipCode }, 'an inbound call was refused');
    invitation.refuse(sipCode ?? 486);
    return undefined;
  }
}
