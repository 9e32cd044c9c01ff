import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CallLeg,
  type CarrierEngine,
  type DialRequest,
  type EngineCaps,
  LegRegistry,
  type TargetHealth,
  type Trunk,
  type TrunkHealth,
} from '../engine/carrier-engine.js';
import type { TaskKinds } from '../media-host/audio-task.js';
import type { Codec } from '../media/session/media-port.js';
import { RefusedTarget, type CheckAddress, UnresolvedHost } from '../sip/locating/locate.js';
import type { SipLog } from '../sip/user-agent/sip-log.js';
import type { JoinRoom } from './room-audio.js';
import { apiReason, type LiveKitAccess, LiveKitApi } from './livekit-api.js';
import { LiveKitLeg } from './livekit-leg.js';
import { openRtcRooms } from './rtc-room.js';

export interface LiveKitEngineOptions {
  access: LiveKitAccess;
  /** The tasks for the audio of legs; they run in this thread. */
  tasks: TaskKinds;
  /** In the order of preference. */
  codecs: Codec[];
  log: SipLog;
  /** Blocks calls into internal networks; see checkHosts for the limits. */
  checkAddress?: CheckAddress;
  /** Resolves names for `checkAddress`; by the system when absent. */
  lookUp?: HostResolver;
  /** Joins rooms; by `@livekit/rtc-node` when absent. */
  join?: JoinRoom;
  /** Seconds after which LiveKit ends a call: a limit in case the dialer dies. Four hours and a minute when absent. */
  maxCallSeconds?: number;
  /** Between the attempts to delete a room, milliseconds. */
  retryMs?: number[];
}

const MAX_CALL_SECONDS = 4 * 3_600 + 60;
/** How long close() waits for tasks and for rooms that are being deleted. */
const CLOSING_MS = 10_000;

/** Places calls by the SIP service of an external LiveKit server. */
export class LiveKitEngine implements CarrierEngine {
  readonly caps: EngineCaps = {
    dtmf: true,
    refer: true,
    bridge: true,
    conference: false,
    srtp: true,
    inbound: false,
    registration: false,
    recording: true,
    sipEvents: false,
    audioTasks: true,
  };
  private readonly legs = new LegRegistry<LiveKitLeg>();
  private readonly work = new Set<Promise<void>>();
  private draining = false;

  private constructor(
    private readonly options: LiveKitEngineOptions,
    private readonly api: LiveKitApi,
    private readonly join: JoinRoom,
  ) {}

  /** Loads the SDK; sends no request yet. @throws RtcNodeMissing */
  static async start(options: LiveKitEngineOptions): Promise<LiveKitEngine> {
    const join = options.join ?? (await openRtcRooms(options.log));
    const api = await LiveKitApi.open(options.access, options.log, options.retryMs);
    return new LiveKitEngine(options, api, join);
  }

  /** Legs that have not ended. */
  get activeLegs(): number {
    return this.legs.size;
  }

  /** Whether LiveKit responds and has the trunk. Only LiveKit sees the carrier behind it. */
  async health(trunk: Trunk): Promise<TrunkHealth> {
    const state = await this.askFor(trunk);
    return { targets: trunk.targets.map((target) => ({ target, ...state })) };
  }

  dial(request: DialRequest, signal?: AbortSignal): CallLeg {
    const { tasks, codecs, log, access, checkAddress, lookUp, maxCallSeconds = MAX_CALL_SECONDS } = this.options;
    const leg = new LiveKitLeg(
      request,
      {
        api: this.api,
        roomUrl: access.url.replace(/^http/, 'ws'),
        join: this.join,
        tasks,
        codecs,
        maxCallSeconds,
        checkHosts: async (hosts) => checkAddress && checkHosts(hosts, checkAddress, lookUp),
        log,
        follow: (work) => this.follow(work),
      },
      signal,
    );
    this.legs.add(leg);
    // A draining dialer places no new calls.
    if (this.draining) leg.hangup('drained');
    void leg.start();
    return leg;
  }

  async drain(deadline: Date): Promise<void> {
    this.draining = true;
    await this.legs.drain(deadline);
  }

  async close(): Promise<void> {
    this.draining = true;
    this.legs.hangUpAll('drained');
    await this.legs.empty();
    const limit = new AbortController();
    const late = delay(CLOSING_MS, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.work), late]);
    limit.abort();
  }

  private async askFor({ livekitTrunkId }: Trunk): Promise<Omit<TargetHealth, 'target'>> {
    const askedAt = performance.now();
    try {
      const there = await this.api.hasTrunk(livekitTrunkId);
      const rttMs = performance.now() - askedAt;
      if (there || livekitTrunkId === undefined) return { reachable: true, rttMs };
      return { reachable: false, reason: 'LiveKit has no outbound trunk of this id.' };
    } catch (error) {
      return { reachable: false, reason: apiReason(error) };
    }
  }

  private follow(work: Promise<void>): void {
    const done = work.finally(() => this.work.delete(done));
    this.work.add(done);
  }
}

/** The addresses of a host name. */
type HostResolver = (host: string) => Promise<string[]>;

const systemLookUp: HostResolver = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Refuses hosts with a forbidden address. LiveKit resolves the name again, and by NAPTR and SRV records too, so that this
 * blocks the address at the time of the check, not one that a hostile name server returns later.
 * @throws RefusedTarget, UnresolvedHost
 */
async function checkHosts(hosts: string[], check: CheckAddress, lookUp: HostResolver = systemLookUp): Promise<void> {
  for (const host of new Set(hosts)) {
    const literal = host.replace(/^\[(.*)\]$/, '$1');
    for (const address of isIP(literal) ? [literal] : await resolve(literal, lookUp)) checkResolved(address, check);
  }
}

async function resolve(host: string, lookUp: HostResolver): Promise<string[]> {
  try {
    return await lookUp(host);
  } catch (error) {
    throw new UnresolvedHost(error);
  }
}

function checkResolved(address: string, check: CheckAddress): void {
  try {
    check(address);
  } catch (error) {
    throw new RefusedTarget(error);
  }
}
