import { parentPort, threadId, workerData, type MessagePort } from 'node:worker_threads';
import { createLog } from '@app/common';
import { serveMedia, type MediaThreadOptions } from '@app/telephony';
import { HearingClient, RemoteSpeechClient, Speech, type ProviderSettings } from '@app/voice';
import { agentTasks } from '../agent/agent-task.js';
import { builtInVoice } from './built-in-voice.js';
import { sipLogOf } from '../trunks/sip-log.js';

/** The start options of a media thread. */
export interface MediaWorkerData {
  priority: MediaThreadOptions['priority'];
  media: MediaThreadOptions['media'];
  logLevel: string;
  providers: ProviderSettings;
  /** To the speech thread. */
  speechPort: MessagePort;
  /** To the hearing thread. */
  hearingPort: MessagePort;
}

const { priority, media, logLevel, providers, speechPort, hearingPort } = workerData as MediaWorkerData;
const log = createLog({ level: logLevel, role: 'dialer' }).child({ thread: threadId });
const speech = new Speech(RemoteSpeechClient.connect(speechPort, builtInVoice));
const hearing = HearingClient.connect(hearingPort, log);
const tasks = agentTasks({ speech, settings: providers, hearing, log });
serveMedia(parentPort!, { priority, media, tasks, log: sipLogOf(log) });
