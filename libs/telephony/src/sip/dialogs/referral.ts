import type { DialogRequests } from './dialog-requests.js';
import { headerValue, parseParams, UnsafeSipText } from '../messages/headers.js';
import { parseCseq, type SipRequest, type SipResponse } from '../messages/message.js';
import { responseTo } from '../messages/responses.js';
import { parseSipUri } from '../messages/sip-address.js';

/** Progress of the call after a REFER, as reported by the remote party. */
export interface TransferProgress {
  /** Of the last response to its INVITE: 100, 180, 200, 486… Of a subscription that ended without a response: 408, 500 or 603. */
  status: number;
  reason: string;
  /** The last report. */
  final: boolean;
}

export interface ReferAnswer {
  accepted: boolean;
  /** Absent: no response. */
  status?: number;
}

export interface ReferOptions {
  /** For Referred-By (RFC 3892 §3). */
  referredBy?: string;
  /** Further headers of the REFER by name. */
  headers?: Record<string, string>;
}

/** Our REFERs in one dialog and the subscriptions that they imply (RFC 3515). Those end with the dialog at the latest. */
export class Referrals {
  /** Keyed by the CSeq of the REFER, the `id` of its NOTIFYs (§2.4.6). `isConcluded`: its last report was passed on. */
  private readonly open = new Map<number, { isConcluded: boolean }>();

  constructor(
    private readonly requests: DialogRequests,
    private readonly onProgress: (progress: TransferProgress) => void,
  ) {}

  /** @throws UnsafeSipText when an address cannot be sent, or a header would break out of its line */
  async refer(referTo: string, { referredBy, headers = {} }: ReferOptions = {}): Promise<ReferAnswer> {
    for (const [name, value] of Object.entries(headers)) headerValue(name, value);
    const [target, by] = [bracket('refer-to', referTo), referredBy && bracket('referred-by', referredBy)];
    let id = 0;
    const reply = await this.requests.send('REFER', (request) => {
      this.open.delete(id);
      id = parseCseq(request.headers.get('cseq'))!.number;
      // A NOTIFY may arrive before the response to its REFER.
      this.open.set(id, { isConcluded: false });
      request.headers.push('refer-to', target);
      if (by) request.headers.push('referred-by', by);
      for (const [name, value] of Object.entries(headers)) request.headers.push(name.toLowerCase(), value);
    });
    const status = typeof reply === 'string' ? undefined : reply.status;
    const accepted = status !== undefined && status < 300;
    if (!accepted) this.open.delete(id);
    return { accepted, ...(status === undefined ? {} : { status }) };
  }

  /** 481 unless it belongs to a REFER of this dialog (RFC 6665 §4.1.3). */
  receiveNotify(notify: SipRequest): SipResponse {
    const id = this.subscriptionOf(notify);
    if (id === undefined) return responseTo(notify, 481);
    const [state = '', ...params] = notify.headers.get('subscription-state')?.split(';') ?? [];
    const ended = state.trim().toLowerCase() === 'terminated';
    const line = /^\s*SIP\/2\.0[ \t]+([1-6]\d\d)(?:[ \t]+([^\r\n]*))?/i.exec(notify.body);
    if (line) this.conclude(id, Number(line[1]), line[2] ?? '', ended);
    else if (ended) this.conclude(id, ...endWithoutReport(parseParams(params.join(';')).get('reason') ?? ''), true);
    if (ended) this.open.delete(id);
    return responseTo(notify, 200);
  }

  private conclude(id: number, status: number, reason: string, ended: boolean): void {
    const subscription = this.open.get(id)!;
    if (subscription.isConcluded) return;
    subscription.isConcluded = ended || status >= 200;
    this.onProgress({ status, reason, final: subscription.isConcluded });
  }

  private subscriptionOf(notify: SipRequest): number | undefined {
    const [event, ...params] = notify.headers.get('event')?.split(';') ?? [];
    if (event?.trim().toLowerCase() !== 'refer') return undefined;
    const id = parseParams(params.join(';')).get('id');
    // §2.4.6: NOTIFYs of the first REFER of a dialog may omit the `id`.
    if (id === undefined) return [...this.open.keys()][0];
    return this.open.has(Number(id)) ? Number(id) : undefined;
  }
}

/**
 * The result of a subscription that ended without a report (RFC 6665 §4.1.3): a failure, because a remote party whose transfer has
 * succeeded hangs up.
 */
function endWithoutReport(reason: string): [status: number, reason: string] {
  switch (reason.toLowerCase()) {
    case 'rejected':
      return [603, 'Decline'];
    case 'timeout':
    case 'giveup':
      return [408, 'Request Timeout'];
    default:
      return [500, 'No Report'];
  }
}

function bracket(field: string, uri: string): string {
  if (!parseSipUri(uri) || !/^[!#-;=?-~]+$/.test(uri)) throw new UnsafeSipText(field);
  return `<${uri}>`;
}
