import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { serveClips, type SpeechWorkerData } from './speech-thread.js';
import { openSynthesiser } from './synthesiser.js';
import type { Voice } from './voice.js';

/** The speech thread: synthesises sentences for every received port. */
async function main(): Promise<void> {
  const { builtInVoice } = workerData as SpeechWorkerData;
  const module = (await import(builtInVoice)) as { builtInVoice: Voice };
  const synthesiser = await openSynthesiser(module.builtInVoice);
  parentPort?.on('message', (port: MessagePort) => serveClips(port, synthesiser));
}

await main();
