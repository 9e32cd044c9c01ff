import { CallClaimsService, type CalledNumber, readInboundHeaders } from '@app/calls';
import { endSpan, type Log, newId, type Span, startSpan, traceFields, traceParentOf } from '@app/common';
import { WakeUpsService } from '@app/queue';
import { LOG } from '@app/common/settings';
import type { Invitation } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import type { IncomingStart } from '../call/call-run.js';
import { DialerService } from '../dialer.service.js';

/** Seconds after which a carrier may try this dialer again. */
const RETRY_AFTER = 5;

/** Finds the number of an inbound call, and passes the call to the dialer or refuses it. */
@Injectable()
export class InboundCallsService {
  constructor(
    private readonly dialer: DialerService,
    private readonly claims: CallClaimsService,
    private readonly wakeUps: WakeUpsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** A carrier whose call is refused for lack of a place tries its next route, usually another dialer; nothing is stored. */
  async receive(invitation: Invitation): Promise<void> {
    const span = startSpan('incoming call', { kind: 'SERVER' });
    try {
      const received = await this.dialer.receive(
        invitation.callers,
        () => this.find(invitation, span),
        (number, owner) => this.take(invitation, { number, owner, span }),
      );
      if (!received) this.refuseCrowded(invitation, span);
    } catch (err) {
      this.log.error({ err, ...traceFields(traceParentOf(span)) }, 'an inbound call could not be accepted');
      invitation.refuse(503, RETRY_AFTER);
    } finally {
      endSpan(span);
    }
  }

  private async find(invitation: Invitation, span: Span | undefined): Promise<CalledNumber | undefined> {
    const trunkIds = invitation.callers.map(Number);
    const number = await this.claims.calledNumber(trunkIds, invitation.dialled);
    if (number) return number;
    span?.setAttributes({ 'trunkline.outcome': 'unknown' });
    this.log.warn({ trunk_ids: trunkIds }, 'a call to an unknown number was refused');
    invitation.refuse(404);
    return undefined;
  }

  private async take(
    invitation: Invitation,
    { number, owner, span }: { number: CalledNumber; owner: string; span: Span | undefined },
  ): Promise<IncomingStart | undefined> {
    const id = newId();
    const { caller } = invitation;
    const traceParent = traceParentOf(span);
    const { values, dropped } = readInboundHeaders(number.inbound_headers, (name) => invitation.header(name));
    if (dropped.length > 0)
      this.log.warn({ call_id: id, headers: dropped }, 'headers of an inbound call are not text of at most 256 bytes');
    const taken = await this.claims.receive({ id, owner, number, caller, headerValues: values, traceParent });
    if (taken.kind === 'crowded') {
      this.refuseCrowded(invitation, span);
      return undefined;
    }
    span?.setAttributes({ 'trunkline.call_id': id, 'trunkline.outcome': taken.kind });
    this.wakeUps.wake('webhooks');
    if (taken.kind === 'taken') return { id, invitation };
    const { status, hangup_cause: cause, sip_code: sipCode } = taken.call;
    this.log.info({ call_id: id, status, cause, sip_code: sipCode }, 'an inbound call was refused');
    invitation.refuse(sipCode ?? 486);
    return undefined;
  }

  private refuseCrowded(invitation: Invitation, span: Span | undefined): void {
    span?.setAttributes({ 'trunkline.outcome': 'crowded' });
    invitation.refuse(503, RETRY_AFTER);
  }
}
