import type { SIPOutboundConfig } from '@livekit/protocol';
import type { CreateSipParticipantOptions, RoomServiceClient, SipClient } from 'livekit-server-sdk';
import { setTimeout as delay } from 'node:timers/promises';
import type { SipEnd } from '../engine/embedded-leg.js';
import { type Outcome, outcomeOf } from '../engine/hangup-cause.js';
import type { SipLog } from '../sip/user-agent/sip-log.js';
import type { DialPlan, InlineTrunk } from './dial-plan.js';

export interface LiveKitAccess {
  /** `https://…` or `wss://…`; the API and the rooms are at the same address. */
  url: string;
  apiKey: string;
  apiSecret: string;
}

/** One dialled participant. */
interface ParticipantRequest {
  room: string;
  identity: string;
  plan: DialPlan;
  /** After this time LiveKit gives up if the dialer has died. */
  ringSeconds: number;
  maxCallSeconds: number;
}

/** LiveKit deletes a room that stays empty this long: the dialer died, or never joined. */
const EMPTY_ROOM_SECONDS = 60;
const DEPARTURE_SECONDS = 10;
/** The response of a dial request arrives with the answer of the phone; this is the margin for the round trip. */
const ANSWER_MARGIN_SECONDS = 10;
const TOKEN_TTL = '5m';
const NOT_FOUND = 404;

type Sdk = typeof import('livekit-server-sdk');
type Protocol = typeof import('@livekit/protocol');

/** The requests to LiveKit that calls need. Errors are those of its SDK. */
export class LiveKitApi {
  private readonly sip: SipClient;
  private readonly rooms: RoomServiceClient;

  private constructor(
    private readonly access: LiveKitAccess,
    private readonly sdk: Sdk,
    private readonly protocol: Protocol,
    private readonly retryMs: readonly number[],
    private readonly log: SipLog,
  ) {
    const { url, apiKey, apiSecret } = access;
    // The SDK repeats a request in another region when it got no answer. A request that dials must never be repeated.
    this.sip = new sdk.SipClient(url, apiKey, apiSecret, { failover: false });
    this.rooms = new sdk.RoomServiceClient(url, apiKey, apiSecret);
  }

  /** Loads the SDK only here: it takes 18 MB and 180 ms, which installations without LiveKit save. `retryMs`: see deleteRoom. */
  static async open(access: LiveKitAccess, log: SipLog, retryMs = [200, 1_000, 5_000]): Promise<LiveKitApi> {
    const [sdk, protocol] = await Promise.all([import('livekit-server-sdk'), import('@livekit/protocol')]);
    return new LiveKitApi(access, sdk, protocol, retryMs, log);
  }

  async createRoom(name: string): Promise<void> {
    await this.rooms.createRoom({
      name,
      emptyTimeout: EMPTY_ROOM_SECONDS,
      departureTimeout: DEPARTURE_SECONDS,
    });
  }

  /** Ends everything in the room, the phone call first. Retries, then gives up with a warning: LiveKit's limits remain. */
  async deleteRoom(name: string): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.rooms.deleteRoom(name);
      } catch (error) {
        if ((error as { status?: unknown }).status === NOT_FOUND) return;
        const wait = this.retryMs[attempt];
        if (wait === undefined)
          return this.log.warn('a LiveKit room could not be deleted', { room: name, error: apiReason(error) });
        await delay(wait);
      }
    }
  }

  /** Allows joining this room, hearing, speaking and pressing keys in it, and nothing else. */
  async agentToken(room: string): Promise<string> {
    const { apiKey, apiSecret } = this.access;
    const token = new this.sdk.AccessToken(apiKey, apiSecret, { identity: 'agent', ttl: TOKEN_TTL });
    token.addGrant({
      room,
      roomJoin: true,
      canSubscribe: true,
      canPublish: true,
      canPublishSources: [this.sdk.TrackSource.MICROPHONE],
      canPublishData: true,
      canUpdateOwnMetadata: false,
    });
    return token.toJwt();
  }

  /** Resolves when the phone is answered. Never repeated: after any rejection a phone may have rung. */
  async dial({ room, identity, plan, ringSeconds, maxCallSeconds }: ParticipantRequest): Promise<void> {
    const options: CreateSipParticipantOptions = {
      participantIdentity: identity,
      participantName: identity,
      fromNumber: plan.from,
      displayName: plan.displayName,
      headers: plan.headers,
      // Phone numbers must not appear in attributes that all participants and webhooks see.
      hidePhoneNumber: true,
      playDialtone: false,
      ringingTimeout: ringSeconds,
      maxCallDuration: maxCallSeconds,
      waitUntilAnswered: true,
      timeout: ringSeconds + ANSWER_MARGIN_SECONDS,
      media: this.mediaOf(plan),
    };
    const own = 'id' in plan.trunk ? plan.trunk.id : '';
    const inline = 'id' in plan.trunk ? undefined : this.inlineTrunk(plan.trunk);
    await this.sip.createSipParticipant(own, plan.number, room, options, inline);
  }

  /** Resolves when the remote party has called `to`. */
  async transfer(room: string, identity: string, to: string): Promise<void> {
    await this.sip.transferSipParticipant(room, identity, to, { playDialtone: false });
  }

  /** Whether LiveKit has an outbound trunk with this id; absent: any trunk. */
  async hasTrunk(id: string | undefined): Promise<boolean> {
    const page = new this.protocol.Pagination({ limit: 1 });
    const found = await this.sip.listSipOutboundTrunk(id === undefined ? { page } : { trunkIds: [id] });
    return found.some((trunk) => id === undefined || trunk.sipTrunkId === id);
  }

  private inlineTrunk({ transport, ...trunk }: InlineTrunk): SIPOutboundConfig {
    const { SIPOutboundConfig, SIPTransport } = this.protocol;
    const transports = {
      udp: SIPTransport.SIP_TRANSPORT_UDP,
      tcp: SIPTransport.SIP_TRANSPORT_TCP,
      tls: SIPTransport.SIP_TRANSPORT_TLS,
    };
    return new SIPOutboundConfig({
      ...trunk,
      transport: transport ? transports[transport] : SIPTransport.SIP_TRANSPORT_AUTO,
    });
  }

  private mediaOf({ codecs, srtp }: DialPlan): CreateSipParticipantOptions['media'] {
    const { SIPMediaConfig, SIPMediaEncryption } = this.protocol;
    const encryptions = {
      off: SIPMediaEncryption.SIP_MEDIA_ENCRYPT_DISABLE,
      optional: SIPMediaEncryption.SIP_MEDIA_ENCRYPT_ALLOW,
      required: SIPMediaEncryption.SIP_MEDIA_ENCRYPT_REQUIRE,
    };
    return new SIPMediaConfig({
      onlyListedCodecs: true,
      codecs: codecs.map((name) => ({ name, rate: 8_000 })),
      encryption: encryptions[srtp],
    });
  }
}

/** The result of a failed request to LiveKit's API. */
export interface CallFailure {
  outcome: Outcome;
  sip: SipEnd;
}

/** The used fields of an SDK error. Errors without `status` had no response. */
interface ApiError {
  status?: unknown;
  code?: unknown;
  message?: unknown;
  metadata?: Record<string, string>;
}

/** The values of LiveKit's DisconnectReason that concern a phone call. */
const USER_UNAVAILABLE = 11;
const USER_REJECTED = 12;
const SIP_TRUNK_FAILURE = 13;

const system = (cause: Outcome['cause']): CallFailure => ({
  outcome: { status: 'failed', cause, endedBy: 'system' },
  sip: {},
});

const result = (...args: Parameters<typeof outcomeOf>): CallFailure => ({ outcome: outcomeOf(...args), sip: {} });

/**
 * The cause of an unanswered call. The metadata contains the SIP status when the remote party sent one; `rang`: the phone had been
 * ringing, so a request that LiveKit gave up counts as unanswered.
 */
export function callFailure(error: unknown, rang: boolean): CallFailure {
  const { status, code, message, metadata } = error as ApiError;
  const sipCode = Number(metadata?.['sip_status_code']);
  if (sipCode >= 300 && sipCode < 700) return reject(sipCode, metadata?.['sip_status'] ?? '');
  if (typeof status !== 'number') return result({ kind: 'unreachable' });
  if (code === 'canceled' || code === 'deadline_exceeded') return result({ kind: rang ? 'no-answer' : 'silent' });
  // livekit/sip has no error code for a challenge without credentials.
  if (code === 'failed_precondition' && /auth/i.test(String(message))) return system('auth_failed');
  if (code === 'invalid_argument') return system('request_refused');
  return system('service_unavailable');
}

const reject = (status: number, reason: string): CallFailure => ({
  outcome: outcomeOf({ kind: 'rejected', status, reason }),
  sip: { sipCode: status, sipReason: reason },
});

/** The same when the phone left the room and the API gave no reason. */
export function leftBeforeAnswer(reason: number | undefined): CallFailure {
  if (reason === USER_UNAVAILABLE) return result({ kind: 'rejected', status: 480, reason: '' });
  if (reason === USER_REJECTED) return result({ kind: 'rejected', status: 486, reason: '' });
  return system('service_unavailable');
}

/** The end of an answered call, as far as the room knows it. */
export function leftAfterAnswer(reason: number | undefined): CallFailure {
  if (reason === SIP_TRUNK_FAILURE)
    return { outcome: { status: 'completed', cause: 'network_error', endedBy: 'system' }, sip: {} };
  return result({ kind: 'bye', by: 'remote' });
}

/** The target refused the call, so the next one may be tried. Every other failure may have left a call behind. */
export const mayTryNextTarget = ({ sip }: CallFailure): boolean => sip.sipCode === 503;

/** The SIP status in an error of a transfer. */
export function sipStatusOf(error: unknown): number | undefined {
  const status = Number((error as ApiError).metadata?.['sip_status_code']);
  return Number.isInteger(status) ? status : undefined;
}

/** The reason why LiveKit cannot be used, for the operator. */
export function apiReason(error: unknown): string {
  const { status } = error as ApiError;
  if (status === 401 || status === 403) return 'LiveKit refuses the API key.';
  return typeof status === 'number' ? `LiveKit answers ${status}.` : 'LiveKit cannot be reached.';
}

/** The API refused the request: it had no effect. */
export function isRefusal(error: unknown): boolean {
  const { status } = error as ApiError;
  return typeof status === 'number' && status < 500;
}
