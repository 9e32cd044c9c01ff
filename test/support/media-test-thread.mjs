import { parentPort } from 'node:worker_threads';
import { serveMedia } from '../../dist/libs/telephony/src/index.js';
import { tasks } from './media-test-tasks.mjs';

const log = { debug: () => undefined, warn: () => undefined };
serveMedia(parentPort, { priority: 'normal', media: { bindAddress: '127.0.0.1' }, tasks, log });
