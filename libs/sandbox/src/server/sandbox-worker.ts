import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { RemoteSpeechClient, Speech } from '@app/voice';
import { FormantVoice } from '../formant/formant-voice.js';
import { SandboxServer } from './sandbox-server.js';

/** The start options of the sandbox thread. */
export interface SandboxWorkerData {
  /** To the speech thread. */
  speechPort: MessagePort;
  key: string;
  port: number;
}

const { speechPort, key, port } = workerData as SandboxWorkerData;
const server = await SandboxServer.start({
  speech: new Speech(RemoteSpeechClient.connect(speechPort, new FormantVoice())),
  key,
  port,
});
parentPort?.postMessage(server.port);
