import type { ResponseRequest } from './providers/voice-provider.js';

/**
 * Lets one response at a time be generated: asking for another while one is active is the commonest fault of realtime
 * clients. Requests wait in order; plain answers that wait become one.
 */
export class ResponseQueue {
  private waiting: ResponseRequest[] = [];
  /** Asked for, and neither begun nor refused yet. */
  private asked: ResponseRequest | undefined;
  /** What the last response that began may have been the answer to, until it is done. */
  private begun: ResponseRequest | undefined;
  private readonly active = new Set<string>();

  constructor(private readonly send: (request: ResponseRequest) => void) {}

  /** A response is being generated or has been asked for. */
  get busy(): boolean {
    return this.active.size > 0 || this.asked !== undefined || this.waiting.length > 0;
  }

  /** A response of ours has been asked for and has not begun. */
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

  /** The provider had begun one by itself, and we took that for ours: ours comes after it. */
  refused(): void {
    const request = this.asked ?? this.begun;
    if (request) this.waiting.unshift(request);
    this.asked = undefined;
    this.begun = undefined;
  }

  /** Drops what waits: the conversation has taken another turn. */
  clearWaiting(): void {
    this.waiting = [];
  }

  /** The connection is gone, and with it everything that was under way. Returns whether anything was. */
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

/** The responses that are being generated: the items of each, and which of them nobody is to hear any more. */
export class ActiveResponses {
  private readonly itemsOf = new Map<string, Set<string>>();
  private readonly dropped = new Set<string>();

  start(responseId: string): void {
    this.itemsOf.set(responseId, new Set());
  }

  /** What still arrives of it is not played. */
  drop(responseId: string): void {
    this.dropped.add(responseId);
  }

  /** Returns whether there was one. */
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

  /** Forgets it; returns its items, if it was not dropped. */
  done(responseId: string): string[] {
    const items = [...(this.itemsOf.get(responseId) ?? [])];
    this.itemsOf.delete(responseId);
    return this.dropped.delete(responseId) ? [] : items;
  }

  isActive(responseId: string): boolean {
    return this.itemsOf.has(responseId);
  }

  /** Forgets all; returns the items of those that were not dropped. */
  clear(): string[] {
    const heard = [...this.itemsOf].filter(([responseId]) => !this.dropped.has(responseId));
    this.itemsOf.clear();
    this.dropped.clear();
    return heard.flatMap(([, items]) => [...items]);
  }
}
