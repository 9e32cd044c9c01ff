import type { CallDirection, EvidenceBatch, LegRecord, RepeatRecord, SipMessageRecord } from '@app/calls';
import type { RtpStats, SipEvent } from '@app/telephony';
import { hash } from 'node:crypto';

/** What is kept of one call. An ordinary one has 8 messages and 6 KB; a flood must not fill the database. */
export const MAX_MESSAGES = 200;
export const MAX_BYTES = 256 * 1024;
/** What fits into a datagram, and so into a PCAP. */
export const MAX_MESSAGE_BYTES = 65_000;
/** Timer A gives up after 7 tries, Timer E after 11; the rest is only counted. */
const MAX_REPEAT_TIMES = 16;

/** A message that has not been handed over yet; its repetitions are counted beside it. */
interface Waiting {
  message: Omit<SipMessageRecord, keyof RepeatRecord>;
  repeat: RepeatRecord;
}

/** The SIP messages and RTP statistics of one call, bounded, until they are written. */
export class CallEvidence {
  /** Bytes of messages that wait to be written. */
  waitingBytes = 0;
  private readonly legs: LegRecord[] = [];
  private readonly changedLegs = new Set<LegRecord>();
  /** By what was sent; after the writing only this much of a message stays in memory. */
  private readonly repeats = new Map<string, RepeatRecord>();
  private readonly changedRepeats = new Set<RepeatRecord>();
  private waiting: Waiting[] = [];
  private bytes = 0;

  constructor(private readonly callId: string) {}

  /** @returns the number of the new leg, from 1. */
  addLeg(direction: CallDirection): number {
    const leg = this.legs.length + 1;
    this.legs.push({ call_id: this.callId, leg, direction, left_out: 0 });
    return leg;
  }

  /** `hasRoom`: false when the process holds too much already. */
  add(leg: number, event: SipEvent, hasRoom = true): void {
    const key = hash('sha1', `${leg} ${event.direction} ${event.wire}`, 'base64');
    const known = this.repeats.get(key);
    if (known) this.countAgain(known, event.at);
    else if (hasRoom && this.takes(event)) this.keep(leg, event, key);
    else this.leaveOut(leg);
  }

  /** The leg is over. */
  end(leg: number, rtp: RtpStats): void {
    const record = this.legs[leg - 1]!;
    record.rtp = rtp;
    this.changedLegs.add(record);
  }

  /** Moves what has not been handed over yet into `batch`. */
  drainInto(batch: EvidenceBatch): void {
    for (const { message, repeat } of this.waiting) {
      this.changedRepeats.delete(repeat);
      batch.messages.push({ ...message, ...copyOf(repeat) });
    }
    batch.legs.push(...this.changedLegs);
    batch.repeats.push(...[...this.changedRepeats].map(copyOf));
    this.changedLegs.clear();
    this.changedRepeats.clear();
    this.waiting = [];
    this.waitingBytes = 0;
  }

  private takes({ wire }: SipEvent): boolean {
    const { length } = wire;
    return length <= MAX_MESSAGE_BYTES && this.repeats.size < MAX_MESSAGES && this.bytes + length <= MAX_BYTES;
  }

  private keep(leg: number, event: SipEvent, key: string): void {
    const repeat = { call_id: this.callId, seq: this.repeats.size + 1, retransmissions: 0, repeated_at: [] };
    this.repeats.set(key, repeat);
    this.waiting.push({ message: messageOf(leg, event), repeat });
    this.changedLegs.add(this.legs[leg - 1]!);
    this.bytes += event.wire.length;
    this.waitingBytes += event.wire.length;
  }

  private leaveOut(leg: number): void {
    const record = this.legs[leg - 1]!;
    record.left_out++;
    this.changedLegs.add(record);
  }

  private countAgain(repeat: RepeatRecord, at: number): void {
    repeat.retransmissions++;
    if (repeat.repeated_at.length < MAX_REPEAT_TIMES) repeat.repeated_at.push(new Date(at).toISOString());
    this.changedRepeats.add(repeat);
  }
}

/** The batch may still be on its way when the next retransmission comes. */
const copyOf = (repeat: RepeatRecord): RepeatRecord => ({ ...repeat, repeated_at: [...repeat.repeated_at] });

const messageOf = (leg: number, event: SipEvent): Waiting['message'] => ({
  leg,
  at: new Date(event.at).toISOString(),
  direction: event.direction,
  transport: event.transport,
  local_address: event.local.address,
  local_port: event.local.port,
  remote_address: event.remote.address,
  remote_port: event.remote.port,
  message: Buffer.from(event.wire, 'latin1').toString('base64'),
});
