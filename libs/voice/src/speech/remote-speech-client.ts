import type { MessagePort } from 'node:worker_threads';
import { Synthesiser, type ClipSource } from './synthesiser.js';
import type { Voice } from './voice.js';

interface Waiting {
  request: ClipRequest;
  resolve: (clip: Int16Array) => void;
  reject: (error: Error) => void;
}

/** Requests sentences from the speech thread; after that has ended, synthesises them in this thread with the built-in voice. */
export class RemoteSpeechClient implements ClipSource {
  private readonly waiting = new Map<number, Waiting>();
  private local: ClipSource | undefined;
  private lastId = 0;

  private constructor(
    private readonly port: MessagePort,
    private readonly builtIn: Voice,
  ) {}

  /** `port`: an end of a channel to the speech thread. `builtIn`: synthesises in this thread after the other one has ended. */
  static connect(port: MessagePort, builtIn: Voice): RemoteSpeechClient {
    const client = new RemoteSpeechClient(port, builtIn);
    port.on('message', (response: ClipResponse) => client.take(response));
    port.on('close', () => client.useLocalVoice());
    // An open channel must not keep the process running.
    port.unref();
    return client;
  }

  clip(sentence: string, language: string | undefined): Promise<Int16Array> {
    if (this.local) return this.local.clip(sentence, language);
    const id = ++this.lastId;
    const request: ClipRequest = { id, sentence, language };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { request, resolve, reject });
      this.port.postMessage(request);
    });
  }

  private take(response: ClipResponse): void {
    const waiting = this.waiting.get(response.id);
    this.waiting.delete(response.id);
    if ('clip' in response) waiting?.resolve(response.clip);
    else waiting?.reject(new Error(response.error));
  }

  private useLocalVoice(): void {
    const local = new Synthesiser([this.builtIn]);
    this.local = local;
    for (const { request, resolve, reject } of this.waiting.values()) {
      local.clip(request.sentence, request.language).then(resolve, reject);
    }
    this.waiting.clear();
  }
}

/** Message from a client to the speech thread. */
export interface ClipRequest {
  id: number;
  sentence: string;
  language: string | undefined;
}

export type ClipResponse = { id: number; clip: Int16Array } | { id: number; error: string };
