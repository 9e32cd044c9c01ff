import { CallClaimsService } from '@app/calls';
import { InternalRequests, type Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { metrics } from '@app/metrics';
import { WakeUpsService } from '@app/queue';
import { type PageConnection, type PageFormat, WebLine, type WebLineCounts } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import type { WebSocket } from 'ws';
import type { IncomingStart } from '../call/call-run.js';
import { DialerService } from '../dialer.service.js';
import {
  type InternalRoute,
  InternalServerService,
  type InternalUpgrade,
} from '../internal/internal-server.service.js';
import { CallEngineService } from '../trunks/call-engine.service.js';

const COUNTS: WebLineCounts = {
  dropped: (direction) => metrics.webFramesDropped.inc({ direction }),
  buffered: (ms) => metrics.webPlayOutSeconds.observe(ms / 1_000),
};

/** Takes the connections of web calls from the internal server, and passes the calls to the dialer. */
@Injectable()
export class WebLinesService {
  /** By the id of the call, from its first connection to its end. */
  private readonly lines = new Map<string, WebLine>();

  constructor(
    private readonly server: InternalServerService,
    private readonly dialer: DialerService,
    private readonly engines: CallEngineService,
    private readonly claims: CallClaimsService,
    private readonly requests: InternalRequests,
    private readonly wakeUps: WakeUpsService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Adds the route of web calls. An engine without audio of its own has none. */
  start(): void {
    if (this.engines.engine.inviteFromPage === undefined) return;
    this.server.route({
      path: /^\/internal\/web-calls\/(?<id>[0-9a-f-]{36})$/,
      accept: (upgrade) => this.accept(upgrade),
    });
  }

  private accept({ params, query }: InternalUpgrade): ReturnType<InternalRoute['accept']> {
    const { id = '' } = params;
    const line = this.lines.get(id);
    if (query.get('resume') === '1') return line ? (socket) => this.attach(line, socket) : 404;
    if (line) return 409;
    if (!this.dialer.takesCalls) return 503;
    const format = query.get('format');
    if (format !== 'l16' && format !== 'pcmu') return 400;
    return (socket) => void this.open(id, format, socket);
  }

  private async open(id: string, format: PageFormat, socket: WebSocket): Promise<void> {
    const resumeToken = this.requests.resumeToken(id);
    const line = new WebLine({ callId: id, resumeToken, format, counts: COUNTS });
    this.lines.set(id, line);
    line.onOver(() => this.lines.delete(id));
    this.attach(line, socket);
    try {
      const received = await this.dialer.receiveWeb((owner) => this.take(id, owner, line));
      if (!received) line.refuse('no_dialer', 'The service has no room for this call. Please try again later.');
    } catch (err) {
      this.log.error({ err, call_id: id }, 'a web call could not be accepted');
      line.refuse('no_dialer', 'The service cannot take this call at the moment. Please try again later.');
    }
  }

  private async take(id: string, owner: string, line: WebLine): Promise<IncomingStart | undefined> {
    const result = await this.claims.connectWeb({ id, owner });
    if (result.kind === 'crowded') line.refuse('limit', 'Too many calls arrive at once. Please try again later.');
    else if (result.kind === 'gone') line.refuse('token_invalid', 'This call was opened before, or is over.');
    else this.wakeUps.wake('webhooks');
    if (result.kind === 'refused') {
      const { status, hangup_cause: cause } = result.call;
      this.log.info({ call_id: id, status, cause }, 'a web call was refused');
      line.refuse('limit', REFUSALS[cause ?? ''] ?? 'The call was refused.');
    }
    if (result.kind !== 'taken') return undefined;
    line.ready();
    return { id, invitation: this.engines.engine.inviteFromPage!(line) };
  }

  private attach(line: WebLine, socket: WebSocket): void {
    const connection: PageConnection = {
      send: (data) => socket.send(data),
      get bufferedAmount() {
        return socket.bufferedAmount;
      },
      close: (code) => socket.close(code),
    };
    metrics.webConnections.inc();
    socket.on('message', (data, isBinary) => line.receive(connection, data as Buffer, isBinary));
    socket.on('close', () => {
      metrics.webConnections.dec();
      line.closed(connection);
    });
    line.connect(connection);
  }
}

/** By the cause in the row of the call. */
const REFUSALS: Record<string, string> = {
  concurrency_limit: 'All lines are busy. Please try again later.',
  spend_limit: 'The limit for calls of today has been reached.',
};
