/**
 * What follows a response that failed while its connection lives: `repeat` it on this connection, `reconnect` to the same provider, or
 * `replace` the provider by the next one, after the last of which the call ends with an apology.
 */
export type FailureStep = 'repeat' | 'reconnect' | 'replace';

/** In a row, with one provider and its reconnections: a provider that always breaks off after a few words is given up as well. */
const MAX_FAILED = 6;

/** Counts the responses that failed one after the other. */
export class FailedResponses {
  private count = 0;
  /** The provider's latest error since the last complete response. */
  private message: string | undefined;

  /** The provider reported an error. */
  reported(message: string): void {
    this.message = message;
  }

  /** A response is complete. */
  completed(): void {
    this.count = 0;
    this.message = undefined;
  }

  /** Why the responses fail, as a sentence. */
  get reason(): string {
    return this.message ?? 'The responses of the provider fail without a reason.';
  }

  /** One more response has failed. */
  failed(hasFallback: boolean): FailureStep {
    this.count++;
    if (this.count === 1) return 'repeat';
    if (!hasFallback && this.count < MAX_FAILED) return 'reconnect';
    this.count = 0;
    return 'replace';
  }
}
