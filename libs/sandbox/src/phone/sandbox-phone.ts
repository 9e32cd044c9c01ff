import { join } from 'node:path';
import { type IncomingCall, type PortRange, type SipLog, SipUserAgent } from '@app/telephony';
import { PATIENCE, type Patience } from './conversations.js';
import { EXTENSIONS, extensionOf } from './extension.js';
import { PhoneCall, type PhoneCallRecord } from './phone-call.js';

interface SandboxPhoneOptions {
  /** IP literal to listen on; loopback unless other machines call. */
  bind: string;
  /** 0: a free one. */
  port: number;
  rtpPorts: PortRange;
  log: SipLog;
  /** Milliseconds for which extensions ring; 1,000 when absent. */
  ringMs?: number;
  /** Shorter for tests; `PATIENCE` when absent. */
  patience?: Partial<Patience>;
  /** Folder for a stereo WAV of each answered call (left: the received RTP), named by its SIP Call-ID in hexadecimal. */
  recordIn?: string;
  /** A call came in. */
  onCall?: (call: PhoneCallRecord) => void;
  /** Counts INVITE dialogs by the value of this header as well. */
  countHeader?: string;
}

/** Older records are dropped. */
const MAX_RECORDS = 2_000;

interface Watcher {
  matches: (call: PhoneCallRecord) => boolean;
  resolve: (call: PhoneCallRecord) => void;
}

/** A SIP phone with automatic behaviour, for development, the demo and tests: `extensionOf` lists its extensions. */
export class SandboxPhone {
  readonly extensions = EXTENSIONS;
  /** The last 2,000 calls, the oldest first. */
  readonly calls: PhoneCallRecord[] = [];
  readonly invites = new InviteCount();
  private readonly running = new Map<PhoneCall, Promise<void>>();
  private watchers: Watcher[] = [];
  private closing: Promise<void> | undefined;

  constructor(
    private readonly agent: SipUserAgent,
    private readonly options: SandboxPhoneOptions,
  ) {
    agent.onInvite((call) => this.take(call));
  }

  get port(): number {
    return this.agent.port;
  }

  /** Resolves with the first call that matches, now or after a change. */
  waitFor(matches: (call: PhoneCallRecord) => boolean): Promise<PhoneCallRecord> {
    const known = this.calls.find(matches);
    if (known) return Promise.resolve(known);
    return new Promise((resolve) => this.watchers.push({ matches, resolve }));
  }

  /** Hangs up all calls and closes all sockets. */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private async shutDown(): Promise<void> {
    for (const call of this.running.keys()) call.stop();
    await this.agent.close();
    await Promise.all(this.running.values());
  }

  private take(call: IncomingCall): void {
    const { requestUser: user, from, callId } = call;
    const known = extensionOf(user);
    const header = this.options.countHeader === undefined ? undefined : call.header(this.options.countHeader);
    this.invites.add({ user, from, callId, header });
    const record = this.newRecord(call, known?.extension);
    const { bind, rtpPorts, ringMs = 1_000, log, recordIn } = this.options;
    const patience = { ...PATIENCE, ...this.options.patience };
    const recordTo = recordIn && join(recordIn, `${Buffer.from(call.callId).toString('hex')}.wav`);
    const settings = {
      media: { bindAddress: bind, ports: rtpPorts, recordTo },
      ringMs,
      patience,
      log,
      changed: this.changed,
    };
    this.options.onCall?.(record);
    const phoneCall = new PhoneCall(call, record, settings);
    const over = phoneCall.run(known?.behaviour ?? { kind: 'refuse', status: 404 });
    this.running.set(phoneCall, over);
    void over.finally(() => this.running.delete(phoneCall));
  }

  private newRecord(call: IncomingCall, extension: string | undefined): PhoneCallRecord {
    const { callId, requestUser, from } = call;
    const heard = { digits: '', heardVoiceMs: 0, heardUtterances: 0 };
    const record = { callId, requestUser, extension, from, invitedAt: Date.now(), ...heard, said: [] };
    this.calls.push(record);
    if (this.calls.length > MAX_RECORDS) this.calls.shift();
    return record;
  }

  private readonly changed = (record: PhoneCallRecord): void => {
    const seen = this.watchers.filter((watcher) => watcher.matches(record));
    this.watchers = this.watchers.filter((watcher) => !seen.includes(watcher));
    for (const watcher of seen) watcher.resolve(record);
  };
}

/** Throws the bind error (EADDRINUSE) when the port is taken. */
export async function startSandboxPhone(options: SandboxPhoneOptions): Promise<SandboxPhone> {
  const { bind, port, log } = options;
  return new SandboxPhone(await SipUserAgent.start({ bind, port, userAgent: 'Trunkline sandbox phone', log }), options);
}

/** Enough for a load test; the oldest records are dropped first. */
const MAX_KEYS = 100_000;

/**
 * Counts INVITE dialogs, for tests against double dialling. Retransmissions belong to the same transaction and do not count.
 */
class InviteCount {
  total = 0;
  readonly byUser = new Map<string, number>();
  readonly byFrom = new Map<string, number>();
  readonly byCallId = new Map<string, number>();
  /** By the value of the header `countHeader`. */
  readonly byHeader = new Map<string, number>();

  add(invite: { user: string; from: string; callId: string; header: string | undefined }): void {
    this.total++;
    increment(this.byUser, invite.user);
    increment(this.byFrom, invite.from);
    increment(this.byCallId, invite.callId);
    if (invite.header !== undefined) increment(this.byHeader, invite.header);
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
  if (counts.size > MAX_KEYS) counts.delete(counts.keys().next().value as string);
}
