/** Requests under way in one process: of one account, and of those to one host. */
const MOST_PER_ACCOUNT = 64;
const MOST_PER_HOST = 32;

interface Waiting {
  host: string;
  enter: () => void;
}

interface AccountRequests {
  count: number;
  perHost: Map<string, number>;
  /** In the order in which they came. */
  waiting: Waiting[];
}

/**
 * Places for the requests of actions that are waited for, so that an endpoint that hangs takes no more of a process than its
 * share: what comes beyond it waits its turn, behind others of the same account only.
 */
export class RequestSlots {
  private readonly accounts = new Map<number, AccountRequests>();

  constructor(
    private readonly perAccount = MOST_PER_ACCOUNT,
    private readonly perHost = MOST_PER_HOST,
  ) {}

  /** Resolves with what gives the place back. Rejects with the signal's reason when it aborts before. */
  async enter(accountId: number, host: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const requests = this.accounts.get(accountId) ?? { count: 0, perHost: new Map(), waiting: [] };
    this.accounts.set(accountId, requests);
    if (this.hasPlace(requests, host)) take(requests, host, 1);
    else await turnOf(requests, host, signal);
    let left = false;
    return () => {
      if (!left) this.leave(accountId, requests, host);
      left = true;
    };
  }

  private leave(accountId: number, requests: AccountRequests, host: string): void {
    take(requests, host, -1);
    const index = requests.waiting.findIndex((one) => this.hasPlace(requests, one.host));
    const [next] = index < 0 ? [] : requests.waiting.splice(index, 1);
    if (next) {
      take(requests, next.host, 1);
      next.enter();
    } else if (requests.count === 0) this.accounts.delete(accountId);
  }

  private hasPlace({ count, perHost }: AccountRequests, host: string): boolean {
    return count < this.perAccount && (perHost.get(host) ?? 0) < this.perHost;
  }
}

function take(requests: AccountRequests, host: string, by: 1 | -1): void {
  requests.count += by;
  const next = (requests.perHost.get(host) ?? 0) + by;
  if (next > 0) requests.perHost.set(host, next);
  else requests.perHost.delete(host);
}

/** Resolves once `leave` has given it a place. */
function turnOf(requests: AccountRequests, host: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      requests.waiting.splice(requests.waiting.indexOf(waiting), 1);
      reject(signal.reason as Error);
    };
    const enter = () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    const waiting: Waiting = { host, enter };
    requests.waiting.push(waiting);
    signal.addEventListener('abort', giveUp, { once: true });
  });
}
