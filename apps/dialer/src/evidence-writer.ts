import { CallDiagnosticsService, type EvidenceBatch, type OwnedCall } from '@app/calls';
import type { Log } from '@app/common';
import { LOG } from '@app/settings';
import type { CallLeg, SipEvent } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import { CallEvidence } from './call-evidence.js';
import { countMedia } from './call-metrics.js';
import { persist } from './persist.js';

/** The messages of all calls are written together, this long after the first of them. */
const BATCH_MS = 1_000;
/** A statement takes no more calls than this at once. */
const CALLS_AT_ONCE = 100;
/** When the database does not keep up, messages are left out rather than the process filled. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;
/** How long SIP may repeat the answer to a BYE (64 * T1). */
const LATE_MESSAGES_MS = 32_000;

interface FollowedLeg {
  call: OwnedCall;
  leg: number;
  evidence: CallEvidence;
}

/** Keeps what a dialer saw of its calls on the wire, beside the calls and never in their way. */
@Injectable()
export class EvidenceWriter {
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

  /** Resolves when everything seen so far is written, or its loss has been logged. */
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
