import { parentPort, threadId, workerData, type MessagePort } from 'node:worker_threads';
import { createLog } from '@app/common';
import { serveMedia, type MediaThreadOptions } from '@app/telephony';
import { RemoteSpeechClient, Speech, type ProviderSettings } from '@app/voice';
import { agentTasks } from './agent-task.js';
import { builtInVoice } from './built-in-voice.js';
import { sipLogOf } from './sip-log.js';

/** The start options of a media thread. */
export interface MediaWorkerData {
  media: MediaThreadOptions['media'];
  logLevel: string;
  providers: ProviderSettings;
  /** To the speech thread. */
  speechPort: MessagePort;
}

const { media, logLevel, providers, speechPort } = workerData as MediaWorkerData;
const log = createLog({ level: logLevel, role: 'dialer' }).child({ thread: threadId });
const speech = new Speech(RemoteSpeechClient.connect(speechPort, builtInVoice));
const tasks = agentTasks({ speech, settings: providers, log });
serveMedia(parentPort!, { media, tasks, log: sipLogOf(log) });
