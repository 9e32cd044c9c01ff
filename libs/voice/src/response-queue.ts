import type { ResponseRequest } from './providers/voice-provider.js';

/**
 * Requests one response at a time: requesting another while one is active is the most frequent fault of realtime clients.
 * Requests wait in order; several waiting answers become one.
 */
export class ResponseQueue {
  private waiting: ResponseRequest[] = [];
  /** Requested, and neither begun nor refused yet. */
  private asked: ResponseRequest | undefined;
  /** The request that the latest response may belong to, until that response is done. */
  private begun: ResponseRequest | undefined;
  private readonly active = new Set<string>();

  constructor(private readonly send: (request: ResponseRequest) => void) {}

  /** A response is requested or generated. */
  get busy(): boolean {
    return this.active.size > 0 || this.asked !== undefined || this.waiting.length > 0;
  }

  /** A requested response has not begun. */
  get awaitsStart(): boolean {
    return this.asked !== undefined;
  }

  request(request: ResponseRequest): void {
    const answersAlready = request.say === undefined && this.waiting.some((other) => other.say === undefined);
    if (!answersAlready) this.waiting.push(request);
    this.next();
  }

  started(responseId: string): void {
    this.active.add(responseId);
    this.begun = this.asked;
    this.asked = undefined;
  }

  done(responseId: string): void {
    this.active.delete(responseId);
    this.begun = undefined;
    this.next();
  }

  /** The provider had begun a response by itself, which was taken for the requested one: the request is repeated after it. */
  refused(): void {
    const request = this.asked ?? this.begun;
    if (request) this.waiting.unshift(request);
    this.asked = undefined;
    this.begun = undefined;
  }

  /** Drops waiting requests, because the conversation has moved on. */
  clearWaiting(): void {
    this.waiting = [];
  }

  /** Drops everything after the loss of the connection. Returns whether there was anything. */
  reset(): boolean {
    const lost = this.busy;
    this.active.clear();
    this.asked = undefined;
    this.begun = undefined;
    this.waiting = [];
    return lost;
  }

  private next(): void {
    if (this.active.size > 0 || this.asked) return;
    this.asked = this.waiting.shift();
    if (this.asked) this.send(this.asked);
  }
}

/** The responses that are generated, with their items; dropped responses are not played any more. */
export class ActiveResponses {
  private readonly itemsOf = new Map<string, Set<string>>();
  private readonly dropped = new Set<string>();

  start(responseId: string): void {
    this.itemsOf.set(responseId, new Set());
  }

  /** Late audio of the response is not played. */
  drop(responseId: string): void {
    this.dropped.add(responseId);
  }

  /** Returns whether a response was active. */
  dropAll(): boolean {
    for (const responseId of this.itemsOf.keys()) this.dropped.add(responseId);
    return this.itemsOf.size > 0;
  }

  isDropped(responseId: string): boolean {
    return this.dropped.has(responseId);
  }

  add(responseId: string, itemId: string): void {
    this.itemsOf.get(responseId)?.add(itemId);
  }

  /** Removes the response; returns its items unless it was dropped. */
  done(responseId: string): string[] {
    const items = [...(this.itemsOf.get(responseId) ?? [])];
    this.itemsOf.delete(responseId);
    return this.dropped.delete(responseId) ? [] : items;
  }

  isActive(responseId: string): boolean {
    return this.itemsOf.has(responseId);
  }

  /** Removes all responses; returns the items of those that were not dropped. */
  clear(): string[] {
    const heard = [...this.itemsOf].filter(([responseId]) => !this.dropped.has(responseId));
    this.itemsOf.clear();
    this.dropped.clear();
    return heard.flatMap(([, items]) => [...items]);
  }
}
