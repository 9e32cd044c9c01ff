import { setTimeout as wait } from 'node:timers/promises';
import { parseSdp, SdpProblem } from '../sdp.js';
import type { DialogRequests, Reply } from './dialog-requests.js';
import type { Negotiation } from './far-offers.js';
import { glareDelayMs } from './glare.js';
import { usableAudio } from './media-address.js';
import { setBody, type SipRequest } from './message.js';
import { ALLOW, SUPPORTED } from './responses.js';
import { MAX_INTERVALS, minSe, termsOfResponse } from './session-expires.js';
import type { Refreshed } from './session-timer.js';

export interface ReofferResult {
  accepted: boolean;
  /** Of the refusal; absent when there was no answer. */
  status?: number;
}

const MAX_TRIES = 4;

/** Our own re-INVITEs and UPDATEs: hold, resume, and the sign of life of RFC 4028. */
export class OwnOffers {
  private over = false;
  /** While the wait after a glare lasts: most calls never need one, and a controller for each cost 3 % of their set-up. */
  private waiting: AbortController | undefined;
  /** The far end takes UPDATE, which disturbs nobody's offer. */
  takesUpdate = false;

  constructor(
    private readonly parts: Negotiation,
    private readonly requests: DialogRequests,
  ) {}

  /** Describes our side anew, on hold or not. One that meets an offer of the far end is sent again after the wait of RFC 3261 §14.1. */
  async reoffer(hold: boolean): Promise<ReofferResult> {
    const { offers } = this.parts;
    let reply: Reply | 'glare' = 'glare';
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (tries > 0) await this.pause();
      if (this.over) return { accepted: false };
      if (offers.open) continue;
      const { offer, undo } = offers.reoffer(hold);
      if (offer === undefined) return { accepted: false };
      reply = await this.invite(offer);
      if (typeof reply !== 'string' && reply.status < 300) break;
      undo();
      if (typeof reply === 'string' || reply.status !== 491) break;
    }
    const status = reply === 'glare' ? 491 : typeof reply === 'string' ? undefined : reply.status;
    return { accepted: status !== undefined && status < 300, ...(status === undefined ? {} : { status }) };
  }

  /** One sign of life: UPDATE when the far end takes it, else a re-INVITE that changes nothing (RFC 4028 §7.4). */
  async refresh(intervalS: number, raises = MAX_INTERVALS): Promise<Refreshed> {
    if (!this.takesUpdate && this.parts.offers.open) return 'failed';
    const reply = await this.sendRefresh(intervalS);
    if (typeof reply === 'string') return 'lost';
    if (this.takesUpdate && (reply.status === 405 || reply.status === 501)) {
      this.takesUpdate = false;
      return this.refresh(intervalS, raises);
    }
    // §8: a 422 names the interval that somebody on the way insists on.
    const least = reply.status === 422 ? minSe(reply) : undefined;
    if (least !== undefined && least > intervalS && raises > 0) return this.refresh(least, raises - 1);
    if (reply.status === 481 || reply.status === 408) return 'lost';
    return reply.status < 300 ? 'refreshed' : 'failed';
  }

  /**
   * UPDATE without a description where the far end takes it, which refreshes the session as well (RFC 3311 §5.1), else OPTIONS. 481 and
   * 408 mean that the dialog is gone (RFC 5057 §5.1); any other answer comes from somebody who has it.
   */
  async isAlive(): Promise<boolean> {
    const intervalS = this.parts.timer.terms?.intervalS;
    const method = this.takesUpdate ? 'UPDATE' : 'OPTIONS';
    const reply = await this.requests.send(method, (request) => {
      if (method === 'UPDATE') this.write(request, intervalS);
    });
    if (method === 'UPDATE' && intervalS !== undefined) this.agree(reply);
    return typeof reply !== 'string' && reply.status !== 481 && reply.status !== 408;
  }

  end(): void {
    this.over = true;
    this.waiting?.abort();
  }

  private async sendRefresh(intervalS: number): Promise<Reply> {
    if (!this.takesUpdate) return this.invite(this.parts.offers.repeat(), intervalS);
    const reply = await this.requests.send('UPDATE', (update) => this.write(update, intervalS));
    this.agree(reply);
    return reply;
  }

  private async invite(offer: string, intervalS = this.parts.timer.terms?.intervalS): Promise<Reply> {
    const { offers, core, dialog, onMedia } = this.parts;
    offers.open = 'ours';
    const reply = await this.requests.send('INVITE', (invite) => {
      this.write(invite, intervalS);
      setBody(invite, 'application/sdp', offer);
    });
    offers.open = undefined;
    if (typeof reply === 'string' || reply.status >= 300) return reply;
    const answer = parseSdp(reply.body);
    const usable = answer instanceof SdpProblem ? undefined : usableAudio(core, answer, dialog.inviteFlow.address);
    if (usable) onMedia(usable);
    this.agree(reply);
    return reply;
  }

  private write(request: SipRequest, intervalS: number | undefined): void {
    const { core, timer } = this.parts;
    request.headers.push('allow', ALLOW).push('supported', SUPPORTED.join(', '));
    if (intervalS === undefined) return;
    // Who refreshed goes on doing so (RFC 4028 §7.4).
    const refresher = timer.terms?.weRefresh === false ? 'uas' : 'uac';
    request.headers.push('session-expires', `${intervalS};refresher=${refresher}`);
    request.headers.push('min-se', String(core.sessionTimer.minSeS));
  }

  private agree(reply: Reply): void {
    if (typeof reply !== 'string' && reply.status < 300) this.parts.timer.start(termsOfResponse(reply));
  }

  private async pause(): Promise<void> {
    this.waiting ??= new AbortController();
    try {
      await wait(glareDelayMs(this.parts.dialog.ownsCallId), undefined, { signal: this.waiting.signal });
    } catch {
      // The dialog is over, which the loop sees.
    }
  }
}
