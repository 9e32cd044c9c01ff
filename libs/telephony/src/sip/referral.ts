import type { DialogRequests } from './dialog-requests.js';
import { parseParams, UnsafeSipText } from './headers.js';
import { parseCseq, type SipRequest, type SipResponse } from './message.js';
import { responseTo } from './responses.js';
import { parseSipUri } from './sip-address.js';

/** Progress of the call after a REFER, as reported by the remote party. */
export interface TransferProgress {
  /** Of the last response to its INVITE: 100, 180, 200, 486… */
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

/** Our REFERs in one dialog and the subscriptions that they imply (RFC 3515). Those end with the dialog at the latest. */
export class Referrals {
  /** Keyed by the CSeq of the REFER, the `id` of its NOTIFYs (§2.4.6). */
  private readonly open = new Set<number>();

  constructor(
    private readonly requests: DialogRequests,
    private readonly onProgress: (progress: TransferProgress) => void,
  ) {}

  /** @throws UnsafeSipText when an address cannot be sent */
  async refer(referTo: string, referredBy?: string): Promise<ReferAnswer> {
    const [target, by] = [bracketed('refer-to', referTo), referredBy && bracketed('referred-by', referredBy)];
    let id = 0;
    const reply = await this.requests.send('REFER', (request) => {
      this.open.delete(id);
      id = parseCseq(request.headers.get('cseq'))!.number;
      // A NOTIFY may arrive before the response to its REFER.
      this.open.add(id);
      request.headers.push('refer-to', target);
      if (by) request.headers.push('referred-by', by);
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
    const ended = /^terminated\b/i.test(notify.headers.get('subscription-state')?.trim() ?? '');
    if (ended) this.open.delete(id);
    const line = /^SIP\/2\.0 ([1-6]\d\d)(?: ([^\r\n]*))?/.exec(notify.body);
    if (line) {
      const status = Number(line[1]);
      this.onProgress({ status, reason: line[2] ?? '', final: ended || status >= 200 });
    }
    return responseTo(notify, 200);
  }

  private subscriptionOf(notify: SipRequest): number | undefined {
    const [event, ...params] = notify.headers.get('event')?.split(';') ?? [];
    if (event?.trim().toLowerCase() !== 'refer') return undefined;
    const id = parseParams(params.join(';')).get('id');
    // §2.4.6: NOTIFYs of the first REFER of a dialog may omit the `id`.
    if (id === undefined) return [...this.open][0];
    return this.open.has(Number(id)) ? Number(id) : undefined;
  }
}

function bracketed(field: string, uri: string): string {
  if (!parseSipUri(uri) || !/^[!#-;=?-~]+$/.test(uri)) throw new UnsafeSipText(field);
  return `<${uri}>`;
}
