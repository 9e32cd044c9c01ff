import { parentPort, threadId, workerData, type MessagePort } from 'node:worker_threads';
import { createLog } from '@app/common';
import { serveMedia, type MediaThreadOptions } from '@app/telephony';
import { DistantClips, Speech } from '@app/voice';
import { agentTasks } from './agent-task.js';
import { sipLogOf } from './sip-log.js';

/** What a media thread of the dialer is started with. */
export interface MediaWorkerData {
  media: MediaThreadOptions['media'];
  logLevel: string;
  /** To the speech thread. */
  speechPort: MessagePort;
}

const { media, logLevel, speechPort } = workerData as MediaWorkerData;
const log = createLog({ level: logLevel, role: 'dialer' }).child({ thread: threadId });
const tasks = agentTasks(new Speech(new DistantClips(speechPort)), log);
serveMedia(parentPort!, { media, tasks, log: sipLogOf(log) });
