import type { Env, Log } from '@app/common';
import { ENV, LOG } from '@app/common/settings';
import { LocalMediaHost, type MediaHost, MediaPool } from '@app/telephony';
import { Inject, Injectable } from '@nestjs/common';
import { agentTasks } from '../agent/agent-task.js';
import { AgentVoicesService, mediaThreads } from '../agent/agent-voices.service.js';
import type { MediaWorkerData } from './media-worker.js';
import { sipLogOf } from '../trunks/sip-log.js';

/** Starts the host of the calls' audio and of the agents: worker threads, or this thread with `MEDIA_THREADS=0`. */
@Injectable()
export class MediaService {
  constructor(
    private readonly voices: AgentVoicesService,
    @Inject(ENV) private readonly env: Env,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** To be called once `AgentVoicesService` is started. The caller closes the host. */
  startHost(): Promise<MediaHost> {
    const threads = mediaThreads(this.env);
    return threads === 0 ? Promise.resolve(this.localHost()) : this.startThreads(threads);
  }

  private localHost(): MediaHost {
    const { env, log, voices } = this;
    return new LocalMediaHost({
      media: { ...this.mediaOptions(), ports: env.RTP_PORTS },
      tasks: agentTasks({ speech: voices.speech, settings: voices.settings, hearing: voices.hearing(), log }),
      log: sipLogOf(log),
    });
  }

  private startThreads(threads: number): Promise<MediaHost> {
    const { env, log, voices } = this;
    const data = () => {
      const speechPort = voices.connectSpeech();
      const hearingPort = voices.connectHearing();
      const media = this.mediaOptions();
      const workerData: MediaWorkerData = {
        priority: env.MEDIA_PRIORITY,
        media,
        logLevel: env.LOG_LEVEL,
        providers: voices.settings,
        speechPort,
        hearingPort,
      };
      return { workerData, transferList: [speechPort, hearingPort] };
    };
    const entry = new URL('./media-worker.js', import.meta.url);
    return MediaPool.start({ threads, source: { entry, data }, ports: env.RTP_PORTS, log: sipLogOf(log) });
  }

  private mediaOptions(): MediaWorkerData['media'] {
    const { env } = this;
    return {
      bindAddress: env.SIP_BIND,
      publicAddress: env.MEDIA_PUBLIC_IP ?? env.SIP_PUBLIC_IP,
      silenceLimitMs: env.MEDIA_SILENCE_SECONDS * 1_000,
    };
  }
}
