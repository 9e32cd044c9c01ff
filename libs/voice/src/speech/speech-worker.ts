import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { NoSpeechProgram } from './program-voice.js';
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
  const programs = new Map<number, AbortController>();
  const work = (request: Exclude<ClipRequest, { abort: true }>): Promise<Int16Array> => {
    if (!('program' in request)) return clips.clip(request.sentence, request.language);
    const running = new AbortController();
    programs.set(request.id, running);
    return clips.program(request.program, running.signal).finally(() => programs.delete(request.id));
  };
  port.on('message', (request: ClipRequest) => {
    const { id } = request;
    if ('abort' in request) return programs.get(id)?.abort();
    const answer = (message: ClipResponse): void => port.postMessage(message);
    work(request).then(
      (clip) => answer({ id, clip }),
      (error: unknown) => {
        const noProgram = error instanceof NoSpeechProgram;
        answer({ id, error: noProgram ? error.message : String(error), noProgram });
      },
    );
  });
  port.on('close', () => programs.forEach((running) => running.abort()));
}

await main();
