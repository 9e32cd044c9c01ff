import { expect } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SeededRandom } from '../../../test/support/seeded-random.js';
import { type Clock, systemClock } from '../src/clock.js';
import type { SynthesizerChoice } from '../src/providers/pipeline/pipeline-options.js';
import type { Synthesizer } from '../src/providers/pipeline/ports.js';
import { openedSynthesizer, settingsAt } from './spoken-sentences.js';

export const KEY = 'the-secret-key';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A speech server on loopback that answers as a test says, and the synthesizers that use it. */
export class SpeechServer {
  http: Server | undefined;
  private opened: Synthesizer[] = [];

  /** Answers every sentence in this way, at the returned address. Replaces the server before it. */
  async answering(answer: Answer): Promise<string> {
    this.stop();
    this.http = createServer((request, response) => {
      if (request.method !== 'POST') response.end();
      else request.resume().on('end', () => answer(response, request));
    });
    this.http.listen(0, '127.0.0.1');
    await once(this.http, 'listening');
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  async synthesizer(url: string, choice: SynthesizerChoice, clock: Clock = systemClock): Promise<Synthesizer> {
    const synthesizer = await openedSynthesizer(choice, settingsAt(url, KEY), clock);
    this.opened.push(synthesizer);
    return synthesizer;
  }

  close(): void {
    this.opened.forEach((synthesizer) => synthesizer.close?.());
    this.opened = [];
    this.stop();
  }

  private stop(): void {
    this.http?.closeAllConnections();
    this.http?.close();
  }
}

/** The error of a sentence. */
export async function failure(sentence: Promise<unknown>): Promise<Error> {
  const error: unknown = await sentence.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  return error as Error;
}

export const noise = (samples: number): Int16Array => {
  const random = new SeededRandom('noise');
  return Int16Array.from({ length: samples }, () => random.int(-10_000, 10_000));
};
