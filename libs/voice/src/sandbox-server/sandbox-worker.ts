import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { RemoteSpeechClient } from '../speech/remote-speech-client.js';
import { Speech } from '../speech/speech.js';
import { SandboxServer } from './sandbox-server.js';

/** What the sandbox thread is started with. */
export interface SandboxWorkerData {
  /** To the speech thread. */
  speechPort: MessagePort;
  key: string;
  port: number;
}

const { speechPort, key, port } = workerData as SandboxWorkerData;
const server = await SandboxServer.start({ speech: new Speech(RemoteSpeechClient.connect(speechPort)), key, port });
parentPort?.postMessage(server.port);
