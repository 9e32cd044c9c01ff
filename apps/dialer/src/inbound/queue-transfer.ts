import type { OwnedCall } from '@app/calls';
import type { Log } from '@app/common';
import type { IncomingLeg, LegEnd } from '@app/telephony';
import { ToolFailed } from '@app/voice';
import { spendPlan } from '../agent/agent-on-call.js';
import type { CallContext } from '../call/call-context.service.js';
import type { CallEndingService } from '../call/call-ending.service.js';
import type { CallRecordsService } from '../call/call-records.service.js';
import { CallTransfer } from '../transfer/call-transfer.js';
import type { EventWriter } from '../call/event-writer.js';
import type { TelephonyService } from '../trunks/telephony.service.js';

interface TransferServices {
  records: CallRecordsService;
  telephony: TelephonyService;
  endings: CallEndingService;
  log: Log;
}

/** A caller that waited as long as its number allows. */
interface TimedOutCaller {
  call: OwnedCall;
  context: CallContext;
  leg: IncomingLeg;
  /** The end of the leg. */
  ended: Promise<LegEnd>;
  answeredAt: Date;
  now: () => Date;
  events: Pick<EventWriter, 'add' | 'flush'>;
}

/** The transfer of a caller without an agent: the other person is not briefed, and nothing is transcribed. */
export class QueueTransfer {
  private readonly transfer: CallTransfer;
  private readonly over = new AbortController();

  constructor(
    private readonly services: TransferServices,
    private readonly caller: TimedOutCaller,
  ) {
    const { records, telephony, endings, log } = services;
    const { call, context, leg, answeredAt, now, events } = caller;
    // The time in the queue does not count.
    const endsAt = now().getTime() + context.max_call_seconds * 1_000;
    this.transfer = new CallTransfer(telephony, records, log, {
      ...{ call, context, now, leg: () => leg, endsAt: () => endsAt, summary: () => '' },
      note: (type, data) => {
        const at = now();
        events.add({ at, type, data: { at_ms: at.getTime() - answeredAt.getTime(), ...data } });
      },
      brief: () => {
        throw new Error('A cold transfer has no briefing.');
      },
      conferenceLeft: () => undefined,
      pays: (number) => records.reserveInstead(call, spendPlan(endings, context), spendPlan(endings, context, number)),
    });
    void caller.ended.then(() => this.over.abort());
  }

  /** Resolves with whether the caller is connected. The caller hears ringing meanwhile. */
  async to(number: string): Promise<boolean> {
    const { call, leg } = this.caller;
    try {
      await this.transfer.transfer(this.transfer.request({ phone_number: number, mode: 'cold' }), this.over.signal);
      await leg.pauseRecording(false).catch(() => undefined);
      return true;
    } catch (err) {
      // The reason of a failed transfer is stored with the call.
      if (!(err instanceof ToolFailed))
        this.services.log.error({ err, call_id: call.id }, 'a waiting caller could not be transferred');
      return false;
    }
  }

  /** After the end of the leg. Resolves with the stored transfers. */
  async result(end: LegEnd): Promise<Pick<CallTransfer, 'transfers' | 'handedOver'>> {
    await this.transfer.over(end);
    await this.caller.events.flush();
    return this.transfer;
  }
}
