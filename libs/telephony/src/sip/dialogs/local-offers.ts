import { randomInt } from 'node:crypto';
import { parseSdp } from '../../sdp-parse.js';
import { delay, SerialQueue } from '../../timing.js';
import type { DialogRequests, Reply } from './dialog-requests.js';
import { MediaWarning, usableAudio } from './offer-answer.js';
import { sessionDescription } from '../messages/message-body.js';
import { setBody, type SipRequest } from '../messages/message.js';
import type { Negotiation } from './remote-offers.js';
import { ALLOW, SUPPORTED } from '../messages/responses.js';
import { MAX_INTERVALS, minSe, type Refreshed, termsOfResponse } from './session-timer.js';
import { transactionTimeout } from '../transactions/transaction.js';

export interface ReofferResult {
  accepted: boolean;
  /** The status of the refusal; absent without a response. */
  status?: number;
}

const MAX_TRIES = 4;

/** Local re-INVITEs and UPDATEs: hold, resume, and the session refresh of RFC 4028. */
export class LocalOffers {
  private over = false;
  /** Created by the first wait: most calls never need it, and one controller per call cost 3 % of the set-up. */
  private waiting: AbortController | undefined;
  /** One request at a time. */
  private readonly queue = new SerialQueue();
  /** The remote party allows UPDATE, which does not collide with offers. */
  takesUpdate = false;

  constructor(
    private readonly negotiation: Negotiation,
    private readonly requests: DialogRequests,
  ) {}

  /**
   * Sends a new offer, on hold or not, after pending work: an earlier request, an offer without an answer, a 2xx
   * without its ACK (RFC 3261 §14.1). After a glare (491) it is repeated with the delay of that section.
   */
  reoffer(hold: boolean): Promise<ReofferResult> {
    return this.queue.run(() => this.reofferNow(hold));
  }

  /** One session refresh: UPDATE when the remote party allows it, else a re-INVITE without changes (RFC 4028 §7.4). */
  refresh(intervalS: number): Promise<Refreshed> {
    return this.queue.run(() => this.refreshNow(intervalS));
  }

  end(): void {
    this.over = true;
    this.waiting?.abort();
  }

  private async reofferNow(hold: boolean): Promise<ReofferResult> {
    const { offers } = this.negotiation;
    let reply: Reply | 'glare' = 'glare';
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 0) await this.pause();
      if (!(await this.mayInvite())) break;
      const { offer, undo } = offers.reoffer(hold);
      if (offer === undefined) return { accepted: false };
      reply = await this.invite(offer);
      if (typeof reply !== 'string' && reply.status < 300) break;
      undo();
      if (typeof reply === 'string' || reply.status !== 491) break;
    }
    if (this.over && reply === 'glare') return { accepted: false };
    const status = reply === 'glare' ? 491 : typeof reply === 'string' ? undefined : reply.status;
    return { accepted: status !== undefined && status < 300, ...(status === undefined ? {} : { status }) };
  }

  private async refreshNow(intervalS: number, raises = MAX_INTERVALS): Promise<Refreshed> {
    if (!this.takesUpdate && !(await this.mayInvite())) return 'failed';
    const reply = await this.sendRefresh(intervalS);
    if (typeof reply === 'string') return 'lost';
    if (this.takesUpdate && (reply.status === 405 || reply.status === 501)) {
      this.takesUpdate = false;
      return this.refreshNow(intervalS, raises);
    }
    // §8: a 422 names the shortest interval of a hop on the path.
    const least = reply.status === 422 ? minSe(reply) : undefined;
    if (least !== undefined) this.negotiation.timer.minSeS = Math.max(this.negotiation.timer.minSeS, least);
    if (least !== undefined && least > intervalS && raises > 0) return this.refreshNow(least, raises - 1);
    if (reply.status === 481 || reply.status === 408) return 'lost';
    return reply.status < 300 ? 'refreshed' : 'failed';
  }

  /** True when nothing is outstanding in the dialog; false when that takes longer than a transaction, or after the end of the dialog. */
  private async mayInvite(): Promise<boolean> {
    const { offers, core } = this.negotiation;
    if (!this.over && !offers.idle) {
      this.waiting ??= new AbortController();
      await offers.untilIdle(transactionTimeout(core.layer.timers), this.waiting.signal);
    }
    return !this.over && offers.idle;
  }

  /**
   * UPDATE without a description when the remote party allows it, which refreshes the session as well (RFC 3311 §5.1), else OPTIONS.
   * 481 and 408 mean that the dialog is gone (RFC 5057 §5.1); any other response shows that the dialog exists.
   */
  async isAlive(): Promise<boolean> {
    const intervalS = this.negotiation.timer.terms?.intervalS;
    const method = this.takesUpdate ? 'UPDATE' : 'OPTIONS';
    const reply = await this.requests.send(method, (request) => {
      if (method === 'UPDATE') this.write(request, intervalS);
    });
    if (method === 'UPDATE' && intervalS !== undefined) this.agree(reply);
    return typeof reply !== 'string' && reply.status !== 481 && reply.status !== 408;
  }

  private async sendRefresh(intervalS: number): Promise<Reply> {
    if (!this.takesUpdate) return this.invite(this.negotiation.offers.repeat(), intervalS);
    const reply = await this.requests.send('UPDATE', (update) => this.write(update, intervalS));
    this.agree(reply);
    return reply;
  }

  private async invite(offer: string, intervalS = this.negotiation.timer.terms?.intervalS): Promise<Reply> {
    const { offers, core, dialog, onMedia } = this.negotiation;
    offers.open = 'ours';
    const reply = await this.requests.send('INVITE', (invite) => {
      this.write(invite, intervalS);
      setBody(invite, 'application/sdp', offer);
    });
    offers.open = undefined;
    if (typeof reply === 'string' || reply.status >= 300) return reply;
    const answer = usableAudio(core, parseSdp(sessionDescription(reply) ?? ''), dialog.inviteFlow.address);
    if (!(answer instanceof MediaWarning) && offers.accepts(answer)) {
      offers.agree(answer);
      onMedia(answer);
    }
    this.agree(reply);
    return reply;
  }

  private write(request: SipRequest, intervalS: number | undefined): void {
    const { core, timer } = this.negotiation;
    request.headers.push('allow', ALLOW).push('supported', SUPPORTED.join(', '));
    if (intervalS === undefined) return;
    // The refresher stays the same (RFC 4028 §7.4).
    const refresher = timer.terms?.weRefresh === false ? 'uas' : 'uac';
    request.headers.push('session-expires', `${intervalS};refresher=${refresher}`);
    request.headers.push('min-se', String(Math.max(core.sessionTimer.minSeS, timer.minSeS)));
  }

  /** A remote party without session timers sends no interval: our refreshes continue, because only a 481 reveals the end of the call. */
  private agree(reply: Reply): void {
    if (typeof reply === 'string' || reply.status >= 300) return;
    const { timer } = this.negotiation;
    const { terms, minSeS } = timer;
    const kept = terms?.weRefresh ? { ...terms, intervalS: Math.max(terms.intervalS, minSeS) } : undefined;
    timer.start(termsOfResponse(reply) ?? kept);
  }

  private async pause(): Promise<void> {
    this.waiting ??= new AbortController();
    await delay(glareDelayMs(this.negotiation.dialog.ownsCallId), this.waiting.signal);
  }
}

/**
 * Delay after a 491 in steps of 10 ms (RFC 3261 §14.1): the ranges of both sides do not overlap, which avoids another collision.
 */
export function glareDelayMs(ownsCallId: boolean): number {
  return ownsCallId ? 10 * randomInt(210, 401) : 10 * randomInt(0, 201);
}
