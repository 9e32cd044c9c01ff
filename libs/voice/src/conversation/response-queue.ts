import type { ResponseRequest } from '../providers/voice-provider.js';
import type { ExactWords } from '../session-command.js';

interface QueuedRequest extends ResponseRequest {
  /** Of a command: they are spoken even when the conversation has moved on. */
  words?: ExactWords;
}

/**
 * Requests one response at a time: requesting another while one is active is the most frequent fault of realtime clients.
 * Requests wait in order; several waiting answers become one.
 */
export class ResponseQueue {
  private waiting: QueuedRequest[] = [];
  /** Requested, and neither begun nor refused yet. */
  private asked: QueuedRequest | undefined;
  /** The request that the latest response may belong to, until that response is done. */
  private begun: { request: QueuedRequest | undefined; responseId: string } | undefined;
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

  /** The same for exact words. */
  get awaitsWords(): boolean {
    return this.asked?.words !== undefined;
  }

  request(request: QueuedRequest): void {
    const answersAlready = request.say === undefined && this.waiting.some((other) => other.say === undefined);
    if (!answersAlready) this.waiting.push(request);
    this.next();
  }

  started(responseId: string): void {
    this.active.add(responseId);
    this.begun = { request: this.asked, responseId };
    this.asked = undefined;
  }

  /** The words that the latest response speaks, as far as is known. */
  wordsOf(responseId: string): ExactWords | undefined {
    return this.begun?.responseId === responseId ? this.begun.request?.words : undefined;
  }

  /** The request that the latest response answers, as far as is known. */
  requestOf(responseId: string): ResponseRequest | undefined {
    return this.begun?.responseId === responseId ? this.begun.request : undefined;
  }

  done(responseId: string): void {
    this.active.delete(responseId);
    this.begun = undefined;
    this.next();
  }

  /**
   * The provider had begun another response, which seemed to be the requested one: the request is repeated after it. Returns that response
   * when it seemed to speak exact words.
   */
  refused(): string | undefined {
    const { asked, begun } = this;
    const request = asked ?? begun?.request;
    if (request) this.waiting.unshift(request);
    this.asked = undefined;
    this.begun = undefined;
    return !asked && begun?.request?.words ? begun.responseId : undefined;
  }

  /** Drops waiting requests, because the conversation has moved on. */
  clearWaiting(): void {
    this.waiting = this.waiting.filter(({ words }) => words);
  }

  /** Drops everything after the loss of the connection. Returns whether there was anything, and the exact words of it. */
  reset(): { lost: boolean; words: ExactWords[] } {
    const lost = this.busy;
    const words = [this.begun?.request, this.asked, ...this.waiting].flatMap((request) => request?.words ?? []);
    this.active.clear();
    this.asked = undefined;
    this.begun = undefined;
    this.waiting = [];
    return { lost, words };
  }

  private next(): void {
    if (this.active.size > 0 || this.asked) return;
    this.asked = this.waiting.shift();
    if (!this.asked) return;
    const { say } = this.asked;
    this.send(say === undefined ? {} : { say });
  }
}

/** The responses that are generated, with their items; dropped responses are not played any more. */
export class ActiveResponses {
  private readonly itemsOf = new Map<string, Set<string>>();
  private readonly dropped = new Set<string>();
  /** The exact words of responses. */
  private readonly words = new Map<string, ExactWords>();

  start(responseId: string, words: ExactWords | undefined): void {
    this.itemsOf.set(responseId, new Set());
    if (words) this.words.set(responseId, words);
  }

  wordsOf(responseId: string): ExactWords | undefined {
    return this.words.get(responseId);
  }

  allWords(): ExactWords[] {
    return [...this.words.values()];
  }

  itemsIn(responseId: string): string[] {
    return [...(this.itemsOf.get(responseId) ?? [])];
  }

  /** The response turned out to speak other words. Returns its items. */
  withoutWords(responseId: string): string[] {
    this.words.delete(responseId);
    return this.itemsIn(responseId);
  }

  /** Late audio of the response is not played. */
  drop(responseId: string): void {
    this.dropped.add(responseId);
  }

  /** Ends all responses early: what is queued of their audio is still played. Returns their items. */
  cutAll(): string[] {
    const items = [...this.itemsOf].flatMap(([responseId, own]) => (this.dropped.has(responseId) ? [] : [...own]));
    this.dropAll();
    return items;
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
    this.words.delete(responseId);
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
    this.words.clear();
    return heard.flatMap(([, items]) => [...items]);
  }
}
