import { AnalyticsModule } from '@app/analytics';
import { CallsModule } from '@app/calls';
import { CampaignsModule } from '@app/campaigns';
import { Module } from '@nestjs/common';
import { WebhooksModule } from '@app/webhooks';
import { SocketsModule } from '../sockets/sockets.module.js';
import { CallCommandsController } from './commands/call-commands.controller.js';
import { CallEventsController } from './events/call-events.controller.js';
import { CallStreamsService } from './events/call-streams.service.js';
import { CallAudioController } from './listening/call-audio.controller.js';
import { CallListeningService } from './listening/call-listening.service.js';
import { CallsController } from './calls.controller.js';
import { DiagnosticsController } from './diagnostics.controller.js';
import { RecordingsController } from './recordings.controller.js';
import { CallTranscriptController, TranscriptsController } from './transcripts.controller.js';

@Module({
  imports: [AnalyticsModule, CallsModule, CampaignsModule, SocketsModule, WebhooksModule],
  controllers: [
    CallsController,
    CallAudioController,
    CallCommandsController,
    CallEventsController,
    CallTranscriptController,
    DiagnosticsController,
    RecordingsController,
    TranscriptsController,
  ],
  providers: [CallListeningService, CallStreamsService],
})
export class CallsApiModule {}
