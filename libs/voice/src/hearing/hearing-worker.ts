import { parentPort, type MessagePort } from 'node:worker_threads';
import { HearingService } from './hearing-service.js';
import { loadRnnoise } from './rnnoise.js';
import { loadSilero } from './silero.js';

/** The hearing thread: serves every received port. */
const service = new HearingService({ voice: loadSilero, clean: loadRnnoise });
parentPort?.on('message', (port: MessagePort) => service.serve(port));
