/**
 * The time of day as one call sees it: read when the call begins, and counted from there by a clock that cannot be set. When the
 * system's clock is put right in mid-call (NTP, a machine that was moved) the hour it was wrong by would be on the bill.
 */
export class CallClock {
  private readonly origin = Date.now() - performance.now();

  now(): Date {
    return new Date(Math.round(this.origin + performance.now()));
  }
}
