import {
  CallEventPollerService,
  CallEventsService,
  CallWordsService,
  NotConnectable,
  WebCallsService,
} from '@app/calls';
import { isUuid } from '@app/common';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { WebSocket } from 'ws';
import { DialerLinksService, DialerRefused } from '../sockets/dialer-links.service.js';
import { SOCKET_CODES, SocketRefusal } from '../sockets/socket-closing.js';
import { type Admission, type Upgrade, UpgradesService } from '../sockets/upgrades.service.js';
import { WebCallConnection } from './web-call-connection.js';

const PATH = /^\/api\/v1\/web-calls\/(?<callId>[^/]+)\/audio$/;
const FORMATS: ReadonlySet<string> = new Set(['l16', 'pcmu']);

/** Connects pages to the dialers of their web calls. */
@Injectable()
export class WebCallSocketsService implements OnModuleInit {
  constructor(
    private readonly upgrades: UpgradesService,
    private readonly links: DialerLinksService,
    private readonly calls: WebCallsService,
    private readonly events: CallEventsService,
    private readonly poller: CallEventPollerService,
    private readonly words: CallWordsService,
  ) {}

  onModuleInit(): void {
    this.upgrades.route({ name: 'web_call', path: PATH, admit: (upgrade) => this.admit(upgrade) });
  }

  private async admit({ params, query, token, request }: Upgrade): Promise<Admission> {
    const { callId = '' } = params;
    const format = query.get('format') ?? 'l16';
    if (!FORMATS.has(format))
      throw new SocketRefusal(SOCKET_CODES.badMessage, 'bad_format', 'The format must be l16 or pcmu.');
    if (token === undefined || !isUuid(callId)) throw BAD_TOKEN();
    const { accountId, addresses, isResumed } = await this.connectable(callId, token, request.headers.origin);
    const knownUntil = isResumed ? (await this.events.state(accountId, callId)).last : 0;
    const path = `/internal/web-calls/${callId}?format=${format}${isResumed ? '&resume=1' : ''}`;
    const dialer = await this.connect(addresses, path);
    const sources = { poller: this.poller, words: this.words };
    return {
      accountId,
      callId,
      serve: (page) => {
        const connection = new WebCallConnection({ page, dialer }, { accountId, callId, knownUntil }, sources);
        return (code) => connection.close(code);
      },
      abandon: () => dialer.terminate(),
    };
  }

  private async connectable(callId: string, token: string, origin: string | undefined) {
    try {
      return await this.calls.connectable(callId, token, origin);
    } catch (error) {
      throw error instanceof NotConnectable ? REFUSALS[error.reason]() : error;
    }
  }

  /** A dialer that is full, stops or cannot be reached is left out. */
  private async connect(addresses: readonly string[], path: string): Promise<WebSocket> {
    for (const address of addresses) {
      try {
        return await this.links.connect(address, path);
      } catch (error) {
        if (!(error instanceof DialerRefused)) throw error;
        const { status } = error;
        // Another connection was faster with the same token.
        if (status === 409) throw BAD_TOKEN();
        if (status === 404 || status === 410) throw REFUSALS.over();
      }
    }
    throw REFUSALS.no_dialer();
  }
}

/** An unknown token, a used and an expired one look alike. */
const BAD_TOKEN = (): SocketRefusal =>
  new SocketRefusal(SOCKET_CODES.badToken, 'bad_token', 'The link to this call is not valid any more. Call again.');

const REFUSALS: Record<NotConnectable['reason'], () => SocketRefusal> = {
  token: BAD_TOKEN,
  origin: () => new SocketRefusal(SOCKET_CODES.notAllowed, 'origin_not_allowed', 'This page may not open the call.'),
  over: () => new SocketRefusal(SOCKET_CODES.noCall, 'call_over', 'The call has ended.'),
  no_dialer: () =>
    new SocketRefusal(SOCKET_CODES.noDialer, 'unavailable', 'No calls are possible at the moment. Try again later.'),
};
