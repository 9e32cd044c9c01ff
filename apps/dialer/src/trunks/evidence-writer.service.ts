import {
  CallDiagnosticsService,
  type CallDirection,
  type EvidenceBatch,
  type LegRecord,
  type OwnedCall,
  type RepeatRecord,
  type SipMessageRecord,
} from '@app/calls';
import type { Log } from '@app/common';
import { LOG } from '@app/common/settings';
import type { CallLeg, RtpStats, SipEvent } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import { countMedia } from '../call-metrics.js';
import { persist } from '../call/call-records.service.js';

/** The messages of all calls are written together, this long after the first message. */
const BATCH_MS = 1_000;
/** The calls of one statement. */
const CALLS_AT_ONCE = 100;
/** When the database does not keep up, messages are left out to bound the memory of the process. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** How long SIP may repeat the answer to a BYE (64 * T1). */
const LATE_MESSAGES_MS = 32_000;

interface FollowedLeg {
  call: OwnedCall;
  leg: number;
  evidence: CallEvidence;
}

/** Stores the SIP messages and RTP statistics of calls. Failures never affect a call. */
@Injectable()
export class EvidenceWriterService {
  private readonly legs = new Map<string, FollowedLeg>();
  private readonly calls = new Map<string, { evidence: CallEvidence; liveLegs: number }>();
  private readonly changed = new Map<CallEvidence, OwnedCall>();
  private waitingBytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly diagnostics: CallDiagnosticsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** To be called before the leg's first message; the legs of a call are numbered in that order. */
  follow(call: OwnedCall, leg: CallLeg): void {
    const known = this.calls.get(call.id) ?? { evidence: new CallEvidence(call.id), liveLegs: 0 };
    this.calls.set(call.id, known);
    known.liveLegs++;
    const { evidence } = known;
    const followed = { call, leg: evidence.addLeg(leg.direction), evidence };
    this.legs.set(leg.id, followed);
    leg.on('ended', (end) => {
      evidence.end(followed.leg, end.stats);
      countMedia(end.stats);
      this.touch(followed);
      setTimeout(() => this.forget(leg.id, call.id), LATE_MESSAGES_MS).unref();
    });
  }

  /** A message of a leg, in or out. */
  message(legId: string, event: SipEvent): void {
    const followed = this.legs.get(legId);
    if (!followed) return;
    const { evidence, leg } = followed;
    const before = evidence.waitingBytes;
    evidence.add(leg, event, this.waitingBytes < MAX_WAITING_BYTES);
    this.waitingBytes += evidence.waitingBytes - before;
    this.touch(followed);
  }

  /** Resolves when all messages so far are written, or their loss has been logged. */
  flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.writing = this.writing.then(() => this.writeChanged());
    return this.writing;
  }

  private touch({ evidence, call }: FollowedLeg): void {
    this.changed.set(evidence, call);
    this.timer ??= setTimeout(() => void this.flush(), BATCH_MS);
  }

  private forget(legId: string, callId: string): void {
    this.legs.delete(legId);
    const known = this.calls.get(callId);
    if (known && --known.liveLegs === 0) this.calls.delete(callId);
  }

  private async writeChanged(): Promise<void> {
    const changed = [...this.changed];
    this.changed.clear();
    for (let at = 0; at < changed.length; at += CALLS_AT_ONCE) await this.write(changed.slice(at, at + CALLS_AT_ONCE));
  }

  private async write(changed: [CallEvidence, OwnedCall][]): Promise<void> {
    const batch: EvidenceBatch = { legs: [], messages: [], repeats: [] };
    let bytes = 0;
    for (const [evidence] of changed) {
      bytes += evidence.waitingBytes;
      evidence.drainInto(batch);
    }
    const calls = changed.map(([, call]) => call);
    try {
      await persist(() => this.diagnostics.record(calls, batch), this.log);
    } catch (err) {
      const messages = batch.messages.length;
      this.log.error({ err, calls: calls.length, messages }, 'diagnostics of calls could not be written');
    }
    this.waitingBytes -= bytes;
  }
}

/** Bounds per call. An ordinary call has 8 messages and 6 KB; a flood must not fill the database. */
export const MAX_MESSAGES = 200;
export const MAX_BYTES = 256 * 1024;
/** The size of a datagram, and so of a packet in a PCAP. */
export const MAX_MESSAGE_BYTES = 65_000;
/** Timer A gives up after 7 attempts, Timer E after 11; further repetitions are only counted. */
const MAX_REPEAT_TIMES = 16;

/** A message that has not been handed over yet, with the number of its repetitions. */
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
  /** By leg, direction and wire text; after a write only this much of a message stays in memory. */
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

  /** Moves new messages into `batch`. */
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

/** The batch may still be in flight at the next retransmission. */
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
