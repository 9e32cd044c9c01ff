import { eventsOfDigits } from '../media/dtmf.js';
import { delay, SerialQueue } from '../timing.js';
import { DEFAULT_DURATION_MS } from '../sip/dtmf-info.js';

/** As between keys that are sent in the audio. */
const GAP_MS = 300;

/** The methods of a leg to send a key. */
interface DtmfChannels {
  /** Whether the far end takes keys as events in its audio (RFC 4733). */
  hasTelephoneEvents(): boolean;
  /** By SIP INFO; false when the far end does not take it, or the call is over. */
  byInfo(digit: string): Promise<boolean>;
  /** As RFC 4733 events or as tones. Rejects when the audio has ended. */
  inAudio(digits: string): Promise<void>;
}

/** Sends keys by the best method of the far end: telephone events, else SIP INFO, else tones. One key after the other. */
export class OutgoingDtmf {
  private readonly queue = new SerialQueue();

  constructor(private readonly channels: DtmfChannels) {}

  /** Resolves when all keys are sent. Rejects with InvalidDigits before any is. */
  async send(digits: string): Promise<void> {
    eventsOfDigits(digits);
    await this.queue.run(() => this.sendNow(digits));
  }

  private async sendNow(digits: string): Promise<void> {
    const { channels } = this;
    const keys = Array.from(digits.toUpperCase());
    while (keys.length > 0 && !channels.hasTelephoneEvents()) {
      if (!(await channels.byInfo(keys[0] as string))) break;
      keys.shift();
      await delay(DEFAULT_DURATION_MS + GAP_MS);
    }
    if (keys.length > 0) await channels.inAudio(keys.join(''));
  }
}
