import type { MessagePort } from 'node:worker_threads';
import type { ClipAnswer, ClipRequest } from './clip-messages.js';
import { Synthesiser, type ClipSource } from './synthesiser.js';
import type { Voice } from './voice.js';

interface Waiting {
  request: ClipRequest;
  resolve: (clip: Int16Array) => void;
  reject: (error: Error) => void;
}

/** Sentences spoken by the speech thread; when that is gone, by the built-in voice in this one. */
export class DistantClips implements ClipSource {
  private readonly waiting = new Map<number, Waiting>();
  private nearby: ClipSource | undefined;
  private lastId = 0;

  /** `port`: an end of a channel to the speech thread. */
  constructor(
    private readonly port: MessagePort,
    private readonly builtIn: Voice,
  ) {
    port.on('message', (answer: ClipAnswer) => this.take(answer));
    port.on('close', () => this.lose());
    // Nobody waits for the speech of calls that are over.
    port.unref();
  }

  clip(sentence: string, language: string | undefined): Promise<Int16Array> {
    if (this.nearby) return this.nearby.clip(sentence, language);
    const id = ++this.lastId;
    const request: ClipRequest = { id, sentence, language };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { request, resolve, reject });
      this.port.postMessage(request);
    });
  }

  private take(answer: ClipAnswer): void {
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if ('clip' in answer) waiting?.resolve(answer.clip);
    else waiting?.reject(new Error(answer.error));
  }

  private lose(): void {
    const nearby = new Synthesiser([this.builtIn]);
    this.nearby = nearby;
    for (const { request, resolve, reject } of this.waiting.values()) {
      nearby.clip(request.sentence, request.language).then(resolve, reject);
    }
    this.waiting.clear();
  }
}
