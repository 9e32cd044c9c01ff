import { transactionTimeout, type TimerSettings } from './timer-settings.js';
import { Retransmission } from './transaction.js';

/** A 2xx to an INVITE that has no ACK yet: repeated by the user agent on every transport (RFC 3261 §13.3.1.4). */
export class UnackedOk {
  private readonly retransmission: Retransmission;
  private readonly timeout: NodeJS.Timeout;

  constructor(timers: TimerSettings, send: () => void, onTimeout: () => void) {
    this.retransmission = new Retransmission(timers.t1, timers.t2, send);
    this.timeout = setTimeout(() => {
      this.stop();
      onTimeout();
    }, transactionTimeout(timers));
    send();
  }

  stop(): void {
    this.retransmission.stop();
    clearTimeout(this.timeout);
  }
}
