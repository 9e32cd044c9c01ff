import { FairSemaphore, type Release } from '@app/common';

const MAX_REQUESTS_PER_HOST = 2;
/** Beyond them, for accounts without a request at the host: hanging pages of one account do not delay those of another. */
const RESERVED_PER_HOST = 2;

/** Bounds the requests for pages that a process sends to a host at a time; accounts take turns. */
export class HostPlaces {
  /** Hosts with requests; the others are forgotten, because users choose the hosts. */
  private readonly hosts = new Map<string, FairSemaphore<number>>();

  /** Waits for a place at the host. Throws the signal's reason. */
  async acquire(accountId: number, host: string, signal: AbortSignal): Promise<Release> {
    const places = this.hosts.get(host) ?? new FairSemaphore<number>(MAX_REQUESTS_PER_HOST, RESERVED_PER_HOST);
    this.hosts.set(host, places);
    try {
      const release = await places.acquire(accountId, signal);
      return () => {
        release();
        this.forget(host, places);
      };
    } catch (error) {
      this.forget(host, places);
      throw error;
    }
  }

  /** Hosts with requests or with accounts that wait for a place. */
  get size(): number {
    return this.hosts.size;
  }

  private forget(host: string, places: FairSemaphore<number>): void {
    if (places.isIdle && this.hosts.get(host) === places) this.hosts.delete(host);
  }
}
