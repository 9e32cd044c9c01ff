import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Arrival } from './checker.js';

/** A status, or `cut`: the connection breaks in the middle of a 200. */
export type SinkAnswer = number | 'cut';

export interface SinkArrival extends Arrival {
  sequence: number;
  /** performance.now() */
  at: number;
  /** Number of requests with the same id so far, including this one. */
  tries: number;
  path: string;
  /** Offset of the sender's clock, by the signed timestamp. */
  skewMs: number;
}

/** The dispatcher sends up to 4 requests at a time to one host and 16 in total. */
const HOSTS = 8;

/** A receiver on several loopback addresses that stores all requests in order of arrival and responds as configured. */
export class FaultSink {
  readonly arrivals: SinkArrival[] = [];
  readonly accepted = new Set<string>();
  answer: (arrival: SinkArrival) => SinkAnswer = () => 200;
  /** Delays responses, so that requests are in flight when a fault happens. */
  latencyMs = 20;
  private readonly news = new EventEmitter();
  private readonly tries = new Map<string, number>();
  private verifiers: Webhook[] = [];

  private constructor(private readonly servers: Server[]) {
    this.news.setMaxListeners(0);
    for (const server of servers) server.on('request', (request, response) => void this.take(request, response));
  }

  static async start(): Promise<FaultSink> {
    const servers = Array.from({ length: HOSTS }, (_, n) => createServer().listen(0, `127.0.0.${n + 1}`));
    await Promise.all(servers.map((server) => once(server, 'listening')));
    return new FaultSink(servers);
  }

  /** Verifies all further signatures against any of the given secrets. */
  trust(secret: string): void {
    this.verifiers.push(new Webhook(secret));
  }

  /** The URL for the n-th call; hosts alternate. */
  url(n: number): string {
    const { address, port } = this.servers[n % HOSTS]!.address() as AddressInfo;
    return `http://${address}:${port}/${n}`;
  }

  /** Waits until the predicate holds, checking after each response. @throws after `ms` */
  async until(predicate: () => boolean, ms: number): Promise<void> {
    const signal = AbortSignal.timeout(ms);
    while (!predicate()) {
      await once(this.news, 'answered', { signal }).catch((cause: unknown) => {
        throw new Error(`the sink waited for ${ms} ms without success, after ${this.arrivals.length} webhooks`, {
          cause,
        });
      });
    }
  }

  /** Waits for `count` further requests. */
  more(count: number, ms = 180_000): Promise<void> {
    const goal = this.arrivals.length + count;
    return this.until(() => this.arrivals.length >= goal, ms);
  }

  async close(): Promise<void> {
    for (const server of this.servers) server.closeAllConnections();
    await Promise.all(this.servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    // An incomplete request of a killed sender does not count.
    request.on('error', () => undefined);
    await once(request, 'end').catch(() => undefined);
    if (!request.complete) return;
    const arrival = this.arrivalOf(request, Buffer.concat(chunks).toString('utf8'));
    const answer = this.answer(arrival);
    arrival.accepted = typeof answer === 'number' && answer >= 200 && answer < 300;
    this.arrivals.push(arrival);
    setTimeout(() => {
      respond(response, answer);
      if (arrival.accepted) this.accepted.add(arrival.id);
      this.news.emit('answered');
    }, this.latencyMs);
  }

  private arrivalOf({ headers, url }: IncomingMessage, body: string): SinkArrival {
    const id = String(headers['webhook-id']);
    const tries = (this.tries.get(id) ?? 0) + 1;
    this.tries.set(id, tries);
    const genuine = this.verifiers.length === 0 || this.verifiers.some((one) => verifies(one, body, headers));
    const sequence = Number(headers['webhook-sequence']);
    const skewMs = Number(headers['webhook-timestamp']) * 1_000 - Date.now();
    return { id, body, accepted: false, genuine, sequence, at: performance.now(), tries, path: url ?? '/', skewMs };
  }
}

function respond(response: ServerResponse, answer: SinkAnswer): void {
  if (answer === 'cut') {
    response.writeHead(200, { 'content-length': 100 }).write('half of it');
    setImmediate(() => response.destroy());
  } else response.writeHead(answer).end();
}

function verifies(verifier: Webhook, body: string, headers: IncomingMessage['headers']): boolean {
  try {
    verifier.verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
