import type { DialogRequests } from './dialog-requests.js';
import { DTMF_RELAY, dtmfRelayBody } from './dtmf-info.js';
import { setBody, type SipMessage } from './message.js';
import type { TimerSettings } from './timer-settings.js';

/** In multiples of T1 (4 s by default): an IVR that waits for a key gives up soon after. Three repetitions of the request fit in. */
const ANSWER_T1S = 8;

/** Our keys as INFO requests of the dialog: the `application/dtmf-relay` body that gateways share, sent outside an Info Package (RFC 6086 §9.3). */
export class InfoKeys {
  private taken = false;

  constructor(
    private readonly requests: DialogRequests,
    private readonly timers: TimerSettings,
  ) {}

  /** `message`: the far end's INVITE or its 2xx. Without an Allow header its abilities are unknown (RFC 3261 §20.5). */
  learn(message: SipMessage): void {
    this.taken = message.headers.list('allow').includes('INFO');
  }

  /** False when the far end does not take keys so, now or any more: one refusal, or no answer, ends it for the call. */
  async press(digit: string): Promise<boolean> {
    if (!this.taken) return false;
    const reply = await this.requests.send(
      'INFO',
      (info) => setBody(info, DTMF_RELAY, dtmfRelayBody(digit)),
      ANSWER_T1S * this.timers.t1,
    );
    this.taken = typeof reply !== 'string' && reply.status < 300;
    return this.taken;
  }
}
