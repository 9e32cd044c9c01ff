import type { PortRange } from '../media/rtp-port-pool.js';
import type { IncomingCall } from '../sip/incoming-call.js';
import type { SipLog } from '../sip/sip-log.js';
import { SipUserAgent } from '../sip/user-agent.js';
import type { PhoneCallRecord } from './call-record.js';
import { PATIENCE, type Patience } from './conversations.js';
import { extensionOf, EXTENSIONS } from './extension.js';
import { InviteCount } from './invite-count.js';
import { PhoneCall } from './phone-call.js';

export interface SandboxPhoneOptions {
  /** IP literal to listen on; loopback unless somebody else shall call. */
  bind: string;
  /** 0: a free one. */
  port: number;
  rtpPorts: PortRange;
  log: SipLog;
  /** How long extensions ring that ring; 1,000 when absent. */
  ringMs?: number;
  /** Shorter for tests; `PATIENCE` when absent. */
  patience?: Partial<Patience>;
  /** A call came in. */
  onCall?: (call: PhoneCallRecord) => void;
  /** Counts INVITE dialogs by the value of this header as well. */
  countHeader?: string;
}

/** Finished calls beyond these are forgotten, the oldest first. */
const MAX_RECORDS = 2_000;

interface Watcher {
  matches: (call: PhoneCallRecord) => boolean;
  resolve: (call: PhoneCallRecord) => void;
}

/** A callee of our own, for development, the demo and tests: see `extensionOf` for whom one can call. */
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

  /** Hangs up what is going on and closes all sockets. */
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
    const { bind, rtpPorts, ringMs = 1_000, log } = this.options;
    const patience = { ...PATIENCE, ...this.options.patience };
    const line = { media: { bindAddress: bind, ports: rtpPorts }, ringMs, patience, log, changed: this.changed };
    this.options.onCall?.(record);
    const phoneCall = new PhoneCall(call, record, line);
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
