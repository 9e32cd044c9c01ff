import { parentPort, type MessagePort } from 'node:worker_threads';
import type { ClipResponse, ClipRequest } from './remote-speech-client.js';
import { openSynthesiser, type ClipSource } from './synthesiser.js';

/** The speech thread: synthesises sentences for every port that it is sent. */
async function main(): Promise<void> {
  const synthesiser = await openSynthesiser();
  parentPort?.on('message', (port: MessagePort) => serve(port, synthesiser));
}

function serve(port: MessagePort, clips: ClipSource): void {
  port.on('message', ({ id, sentence, language }: ClipRequest) => {
    const answer = (message: ClipResponse): void => port.postMessage(message);
    clips.clip(sentence, language).then(
      (clip) => answer({ id, clip }),
      (error: unknown) => answer({ id, error: String(error) }),
    );
  });
}

await main();
