import type { OwnedCall } from '@app/calls';
import type { Log } from '@app/common';
import type { IncomingLeg, LegEnd } from '@app/telephony';
import { ToolFailed } from '@app/voice';
import { ConversationClock } from '../agent/conversation-clock.js';
import type { CallClock } from '../call/call-clock.js';
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
  clock: CallClock;
  events: Pick<EventWriter, 'add' | 'flush'>;
}

/** The transfer of a caller without an agent: the other person is not briefed, and nothing is transcribed. */
export class QueueTransfer {
  private readonly transfer: CallTransfer;

  constructor(
    private readonly services: TransferServices,
    private readonly caller: TimedOutCaller,
  ) {
    const { call, context, leg, answeredAt, events } = caller;
    const clock = new ConversationClock(caller.clock);
    // The time in the queue does not count.
    clock.start(answeredAt, clock.now());
    const note = (type: string, data: Record<string, unknown>): void => {
      const at = clock.now();
      events.add({ at, type, data: { at_ms: clock.msOf(at), ...data } });
    };
    this.transfer = new CallTransfer(services, { call, context, leg, clock, notes: { note } });
  }

  /** Resolves with whether the caller is connected. The caller hears ringing meanwhile. */
  async transferTo(number: string): Promise<boolean> {
    const { call, leg, ended } = this.caller;
    const over = new AbortController();
    void ended.then(() => over.abort());
    try {
      await this.transfer.transfer(this.transfer.readRequest({ phone_number: number, mode: 'cold' }), over.signal);
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
  async end(end: LegEnd): Promise<Pick<CallTransfer, 'transfers' | 'isHandedOver'>> {
    await this.transfer.end(end);
    await this.caller.events.flush();
    return this.transfer;
  }
}
