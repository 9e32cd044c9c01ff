import { type AuditAction, type Actor, ACTOR_KINDS, AuditService } from '@app/audit';
import type { Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { Database } from '@app/database';
import { metrics } from '@app/metrics';
import { Inject, Injectable } from '@nestjs/common';
import type { AgentOnCall } from '../agent/agent-on-call.js';
import type { CallContext } from '../call/call-context.service.js';
import type { InternalUpgrade } from '../internal/internal-server.service.js';
import type { CallLeg } from '@app/telephony';
import { CallListeners, type Listener } from './call-listeners.js';
import { LISTENER_FORMATS } from './listener-audio.js';
import type { WebSocket } from 'ws';

/** Of all calls of a dialer. */
const MAX_LISTENERS_OF_DIALER = 200;

/** The path of the internal server. */
export const LISTENING_PATH = /^\/internal\/calls\/(?<callId>[0-9a-f-]{36})\/audio$/;

/** The calls of the dialer that can be listened to. */
type LiveCalls = (callId: string) => { listeners: CallListeners | undefined } | undefined;

/** People and programs that listen to the calls of this dialer. */
@Injectable()
export class ListenersService {
  private count = 0;

  constructor(
    private readonly audit: AuditService,
    private readonly database: Database,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** The listeners of a call, from the moment at which its agent talks. */
  of(leg: CallLeg, context: CallContext, agent: AgentOnCall): CallListeners {
    const { id, account_id: accountId, announce_listeners: announcement } = context;
    const services = {
      audit: (action: AuditAction, listener: Listener, call: { id: string; accountId: number }) =>
        this.record(action, listener, call),
      log: this.log,
    };
    return new CallListeners(services, { id, accountId, leg, agent, announcement });
  }

  /** The route LISTENING_PATH of the internal server. */
  accept({ params, query }: InternalUpgrade, calls: LiveCalls): number | ((socket: WebSocket) => void) {
    const listener = listenerOf(query);
    if (!listener) return 400;
    const run = calls(params.callId ?? '');
    if (!run) return 404;
    const { listeners } = run;
    // Nobody talks on it yet.
    if (!listeners) return 409;
    if (listeners.isFull || this.count >= MAX_LISTENERS_OF_DIALER) return 429;
    return (socket) => {
      this.add(1);
      listeners.join(listener, socket, () => this.add(-1));
    };
  }

  private add(change: 1 | -1): void {
    this.count += change;
    metrics.callListeners.set(this.count);
  }

  private record(
    action: AuditAction,
    { actor, name }: Listener,
    { id, accountId }: { id: string; accountId: number },
  ): Promise<void> {
    const event = { accountId, actor, action, subject: { kind: 'call', id }, details: { name } };
    return this.database.transaction((tx) => this.audit.record(event, tx));
  }
}

/** The api has checked who it is. Undefined: the request is incomplete. */
function listenerOf(query: URLSearchParams): Listener | undefined {
  const format = LISTENER_FORMATS.find((one) => one === query.get('format'));
  const name = query.get('name');
  const actor = actorOf(query.get('user') ?? '', query.get('request') ?? undefined);
  if (!format || !name || !actor) return undefined;
  return { name, actor, format, maySpeak: query.get('speak') === '1' };
}

/** `person:5` */
function actorOf(text: string, requestId: string | undefined): Actor | undefined {
  const [kindName, id] = text.split(':', 2);
  const kind = ACTOR_KINDS.find((one) => one === kindName);
  return kind && id ? { kind, id, ...(requestId !== undefined && { requestId }) } : undefined;
}
