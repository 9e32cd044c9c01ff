/**
 * The time of day of one call: the system clock is read once at its beginning, a monotonic clock counts from there. Otherwise a
 * correction of the system clock during the call (NTP, a migrated machine) would appear on the bill.
 */
export class CallClock {
  private readonly origin = Date.now() - performance.now();

  now(): Date {
    return new Date(Math.round(this.origin + performance.now()));
  }
}
