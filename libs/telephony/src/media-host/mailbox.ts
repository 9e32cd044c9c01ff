/** Messages in one direction: what comes before there is a listener waits for it, so that none is lost. */
export class Mailbox {
  private listener: ((message: unknown) => void) | undefined;
  private waiting: unknown[] = [];

  deliver(message: unknown): void {
    if (this.listener) this.listener(message);
    else this.waiting.push(message);
  }

  /** One listener; the last one set gets the messages. */
  listen(listener: (message: unknown) => void): void {
    this.listener = listener;
    for (const message of this.waiting.splice(0)) listener(message);
  }
}
