import type { MessagePort } from 'node:worker_threads';
import { FormantVoice } from './formant/formant-voice.js';
import { Synthesiser, type ClipSource } from './synthesiser.js';

interface Waiting {
  request: ClipRequest;
  resolve: (clip: Int16Array) => void;
  reject: (error: Error) => void;
}

/** Sentences spoken by the speech thread; when that is gone, by our own small voice in this one. */
export class RemoteSpeechClient implements ClipSource {
  private readonly waiting = new Map<number, Waiting>();
  private nearby: ClipSource | undefined;
  private lastId = 0;

  /** `port`: an end of a channel to the speech thread. */
  constructor(private readonly port: MessagePort) {
    port.on('message', (answer: ClipResponse) => this.take(answer));
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

  private take(answer: ClipResponse): void {
    const waiting = this.waiting.get(answer.id);
    this.waiting.delete(answer.id);
    if ('clip' in answer) waiting?.resolve(answer.clip);
    else waiting?.reject(new Error(answer.error));
  }

  private lose(): void {
    const nearby = new Synthesiser([new FormantVoice()]);
    this.nearby = nearby;
    for (const { request, resolve, reject } of this.waiting.values()) {
      nearby.clip(request.sentence, request.language).then(resolve, reject);
    }
    this.waiting.clear();
  }
}

/** Over the port between a thread that wants sentences spoken and the one that speaks them. */
export interface ClipRequest {
  id: number;
  sentence: string;
  language: string | undefined;
}

export type ClipResponse = { id: number; clip: Int16Array } | { id: number; error: string };
