import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { ClipRequest, ClipResponse, SpeechWorkerData } from './speech-thread.js';
import { openSynthesiser, type ClipSource } from './synthesiser.js';
import type { Voice } from './voice.js';

/** The speech thread: synthesises sentences for every received port. */
async function main(): Promise<void> {
  const { builtInVoice } = workerData as SpeechWorkerData;
  const module = (await import(builtInVoice)) as { builtInVoice: Voice };
  const synthesiser = await openSynthesiser(module.builtInVoice);
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
