import {
  PeopleAuthenticationService,
  type Principal,
  RateLimitsService,
  type Scope,
  SocketAuthenticationService,
  toLimitedAddress,
} from '@app/auth';
import { CallEventPollerService, CallEventsService, CallWordsService, LiveCallsService } from '@app/calls';
import { type Log, NotFound, type PeriodicTask, runPeriodically } from '@app/common';
import { LOG } from '@app/common/settings';
import {
  ForbiddenException,
  HttpException,
  Inject,
  Injectable,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Request } from 'express';
import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { DialerLinksService, DialerRefused } from '../../sockets/dialer-links.service.js';
import { FrameRelay } from '../../sockets/frame-relay.js';
import { SOCKET_CODES, SocketRefusal } from '../../sockets/socket-closing.js';
import { type Admission, type Upgrade, UpgradesService } from '../../sockets/upgrades.service.js';
import { CallTranscript } from './call-transcript.js';

const LISTEN: Scope = 'calls:listen';
const SPEAK: Scope = 'calls:write';

const FORMATS = ['l16', 'pcmu'] as const;

/** A connection outlives the authentication of its request: that of a revoked token or session ends within this time. */
const TOKENS_EVERY_MS = 5_000;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Why there is no connection: a status for machines, a close code for pages. */
const REFUSALS = {
  unauthenticated: [401, SOCKET_CODES.badToken, 'The token is unknown, expired or revoked.'],
  foreign_page: [403, SOCKET_CODES.notAllowed, 'The page does not belong to this service.'],
  missing_scope: [403, SOCKET_CODES.notAllowed, `Listening to calls needs the scope ${LISTEN}.`],
  not_found: [404, SOCKET_CODES.noCall, 'Call not found.'],
  not_live: [409, SOCKET_CODES.noCall, 'The call is not live: it was not answered yet, or it is over.'],
  invalid_format: [422, SOCKET_CODES.badMessage, `The format must be one of ${FORMATS.join(', ')}.`],
  too_many_listeners: [429, SOCKET_CODES.limit, 'Too many people listen at the moment: 20 can listen to one call.'],
  no_dialer: [503, SOCKET_CODES.noDialer, 'The call cannot be reached at the moment. Try again.'],
} as const;

type Refusal = keyof typeof REFUSALS;

/** What the dialer's refusals mean. */
const OF_DIALER: Readonly<Record<number, Refusal>> = { 404: 'not_live', 409: 'not_live', 429: 'too_many_listeners' };

interface Open {
  user: Principal;
  close: (code: number) => void;
}

/** WebSockets that listen to live calls: who may, where the call is, and its words beside its audio. */
@Injectable()
export class CallListeningService implements OnModuleInit, OnModuleDestroy {
  private readonly open = new Set<Open>();
  private checks: PeriodicTask | undefined;

  constructor(
    private readonly upgrades: UpgradesService,
    private readonly dialers: DialerLinksService,
    private readonly authentication: SocketAuthenticationService,
    private readonly people: PeopleAuthenticationService,
    private readonly limits: RateLimitsService,
    private readonly calls: LiveCallsService,
    private readonly events: CallEventsService,
    private readonly poller: CallEventPollerService,
    private readonly words: CallWordsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.upgrades.route({
      name: 'listen',
      path: /^\/api\/v1\/calls\/(?<callId>[^/]+)\/audio$/,
      admit: (upgrade) => this.admit(upgrade),
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.checks?.stop();
  }

  private async admit(upgrade: Upgrade): Promise<Admission> {
    const { request, params, query } = upgrade;
    const refused = (refusal: Refusal): Error => refusalOf(refusal, request);
    const user = await this.userOf(upgrade);
    if (!user) {
      // The gateway counts the failed attempts of pages.
      if (request.headers.authorization !== undefined) await this.limits.failedAttempt(toLimitedAddress(request.ip));
      throw refused('unauthenticated');
    }
    if (!user.scopes.includes(LISTEN)) throw refused('missing_scope');
    const format = FORMATS.find((one) => one === (query.get('format') ?? 'l16'));
    if (!format) throw refused('invalid_format');
    const { accountId } = user;
    const callId = (params.callId ?? '').toLowerCase();
    const call = UUID.test(callId) ? await this.calls.find(accountId, callId).catch(absent) : undefined;
    if (!call) throw refused('not_found');
    if (!call.is_live) throw refused('not_live');
    if (call.address === null) throw refused('no_dialer');
    const { last } = await this.events.state(accountId, callId);
    const path = `/internal/calls/${callId}/audio?${(await this.listenerOf(user, format)).toString()}`;
    const dialer = await this.dialers.connect(call.address, path).catch((error: unknown) => {
      throw error instanceof DialerRefused ? refused(OF_DIALER[error.status] ?? 'no_dialer') : error;
    });
    return {
      accountId,
      callId,
      serve: (page) => this.serve({ user, callId, after: last }, page, dialer),
      abandon: () => dialer.close(),
    };
  }

  private async userOf({ request, token }: Upgrade): Promise<Principal | undefined> {
    try {
      return await this.authentication.principalOf(request, token);
    } catch (error) {
      throw error instanceof ForbiddenException ? refusalOf('foreign_page', request) : error;
    }
  }

  /** The query for the dialer, which trusts it. */
  private async listenerOf(user: Principal, format: string): Promise<URLSearchParams> {
    const { tokenId, person, scopes } = user;
    return new URLSearchParams({
      name: await this.authentication.nameOf(user),
      user: person ? `person:${person.id}` : `token:${tokenId}`,
      speak: scopes.includes(SPEAK) ? '1' : '0',
      request: randomUUID(),
      format,
    });
  }

  private serve(
    { user, callId, after }: { user: Principal; callId: string; after: number },
    page: WebSocket,
    dialer: WebSocket,
  ): (code: number) => void {
    const relay: FrameRelay = new FrameRelay(page, dialer, {
      route: 'listen',
      dialerClosed: (code) => code,
      pageClosed: () => {
        transcript.stop();
        this.open.delete(one);
      },
    });
    const { poller, words } = this;
    const transcript = new CallTranscript(user.accountId, callId, after, (message) => relay.send({ ...message }), {
      poller,
      words,
    });
    const one: Open = { user, close: (code) => relay.close(code) };
    this.open.add(one);
    this.checks ??= runPeriodically(TOKENS_EVERY_MS, () => this.endRevoked(), this.log);
    return one.close;
  }

  private async endRevoked(): Promise<void> {
    const asked = [...this.open];
    if (asked.length === 0) return;
    const live = await this.people.live(asked.map(({ user }) => user));
    for (const { user, close } of asked) if (!live.has(user)) close(SOCKET_CODES.badToken);
  }
}

/** A machine reads the status of a failed upgrade; a browser cannot, and gets the reason over the WebSocket. */
function refusalOf(refusal: Refusal, { headers }: Request): Error {
  const [status, code, message] = REFUSALS[refusal];
  if (headers.authorization !== undefined) return new HttpException(message, status);
  return new SocketRefusal(code, refusal, message);
}

function absent(error: unknown): undefined {
  if (error instanceof NotFound) return undefined;
  throw error;
}
