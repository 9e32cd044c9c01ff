import { Injectable } from '@nestjs/common';
import type { OwnedCall } from '../domain/call.js';
import type { DialDecision } from '../domain/claim-plan.js';
import type { StoredCallContext } from '../progress/call-context.repository.js';
import { BeginDialRepository } from './begin-dial.repository.js';
import { DialChecksRepository } from './dial-checks.repository.js';
import { type ContactLimits, contactRefusal, localTimes } from './domain/contact-limits.js';
import { listedNumber } from './domain/do-not-call.js';

/** What the checks before the INVITE read of the call. */
type DialledCall = Pick<StoredCallContext, 'account_id' | 'to_number' | keyof ContactLimits>;

/** Whether a destination may be dialled, by contact hours, limits and the do-not-call list. */
@Injectable()
export class DialChecksService {
  constructor(
    private readonly dials: BeginDialRepository,
    private readonly checks: DialChecksRepository,
  ) {}

  /**
   * Called immediately before the INVITE: afterwards the call is never dialled again.
   * Another decision than `dial` forbids the INVITE. `dialled`: the context of the call; its contact hours are those of the claim, the list
   * and the attempts are read under a lock.
   */
  async beginDial(call: OwnedCall, dialled: DialledCall, now = new Date()): Promise<DialDecision> {
    const refusal = contactRefusal(dialled.to_number, dialled, now);
    if (refusal) return refusal;
    const contact = listedNumber(dialled.to_number);
    const times = contact ? localTimes(contact.number, dialled, now) : [];
    const check = await this.dials.beginDial(call, { accountId: dialled.account_id, contact, localTimes: times });
    if (!check) return { kind: 'gone' };
    return check.cause === null ? { kind: 'dial' } : { kind: 'refused', cause: check.cause };
  }

  /** Whether the do-not-call list has a destination, for legs that are dialled during a call. */
  async isListed(accountId: number, destination: string): Promise<boolean> {
    const listed = listedNumber(destination);
    return listed !== undefined && this.checks.isListed(accountId, listed);
  }
}
