import { AccountsModule } from '@app/accounts';
import { AgentLookupsModule } from '@app/agents';
import { AuditModule } from '@app/audit';
import { ToolCallbacksModule } from '@app/tools';
import { WebhooksModule } from '@app/webhooks';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DailySpendModule } from './billing/billing.module.js';
import { CallCancellationService } from './call-cancellation.service.js';
import { CallBacklogRepository } from './queue/call-backlog.repository.js';
import { CallClaimsRepository } from './queue/call-claims.repository.js';
import { CallClaimsService } from './queue/call-claims.service.js';
import { CallCommandsRepository } from './commands/call-commands.repository.js';
import { CallCommandsService } from './commands/call-commands.service.js';
import { CallContextRepository } from './progress/call-context.repository.js';
import { CallCreationService } from './call-creation.service.js';
import { CallDiagnosticsService } from './diagnostics/call-diagnostics.service.js';
import { CallEventPollerService } from './events/call-event-poller.service.js';
import { CallEventsRepository } from './events/call-events.repository.js';
import { CallEventsService } from './events/call-events.service.js';
import { CallEvidenceRepository } from './diagnostics/call-evidence.repository.js';
import { CallLinksService } from './recordings/call-links.service.js';
import { CallListRepository } from './call-list.repository.js';
import { CallProgressRepository } from './progress/call-progress.repository.js';
import { CallProgressService } from './progress/call-progress.service.js';
import { CallReleaseService } from './queue/call-release.service.js';
import { CallRetentionRepository } from './recordings/call-retention.repository.js';
import { CallRetentionService } from './recordings/call-retention.service.js';
import { CallScheduleRepository } from './queue/call-schedule.repository.js';
import { LiveCallsRepository } from './listening/live-calls.repository.js';
import { LiveCallsService } from './listening/live-calls.service.js';
import { CallWordsRepository } from './events/call-words.repository.js';
import { CallWordsService } from './events/call-words.service.js';
import { CampaignCallsService } from './campaign-calls.service.js';
import { CallCreationRepository } from './call-creation.repository.js';
import { CallsRepository } from './calls.repository.js';
import { BeginDialRepository } from './compliance/begin-dial.repository.js';
import { DialChecksService } from './compliance/dial-checks.service.js';
import { CallEndRepository } from './progress/call-end.repository.js';
import { ExpiredTranscriptsRepository } from './recordings/expired-transcripts.repository.js';
import { OverdueCallsRepository } from './queue/overdue-calls.repository.js';
import { InboundCallsRepository } from './queue/inbound-calls.repository.js';
import { WebClaimsRepository } from './queue/web-claims.repository.js';
import { SpendReservationsRepository } from './billing/spend-reservations.repository.js';
import { SpendReservationsService } from './billing/spend-reservations.service.js';
import { CallsService } from './calls.service.js';
import { ToolReportsService } from './tool-reports.service.js';
import { DialChecksRepository } from './compliance/dial-checks.repository.js';
import { DoNotCallImportService } from './compliance/do-not-call-import.service.js';
import { DoNotCallEntity } from './compliance/do-not-call.entity.js';
import { DoNotCallRepository } from './compliance/do-not-call.repository.js';
import { DoNotCallService } from './compliance/do-not-call.service.js';
import { QueuedRefusalService } from './compliance/queued-refusal.service.js';
import { DialerProvidersService } from './queue/dialer-providers.service.js';
import { DialersRepository } from './queue/dialers.repository.js';
import { DialersService } from './queue/dialers.service.js';
import { RecordingsService } from './recordings/recordings.service.js';
import { TranscriptsService } from './recordings/transcripts.service.js';
import { WaitingCallersRepository } from './queue/waiting-callers.repository.js';
import { WaitingCallersService } from './queue/waiting-callers.service.js';
import { WebCallsRepository } from './web-calls/web-calls.repository.js';
import { WebCallsService } from './web-calls/web-calls.service.js';
import { WebKeyEntity } from './web-calls/web-key.entity.js';
import { WebKeysRepository } from './web-calls/web-keys.repository.js';
import { WebKeysService } from './web-calls/web-keys.service.js';
import { WebhookReplaysService } from './webhook-replays.service.js';

const REPOSITORIES = [
  BeginDialRepository,
  CallsRepository,
  CallBacklogRepository,
  CallCreationRepository,
  CallEndRepository,
  CallListRepository,
  CallClaimsRepository,
  CallCommandsRepository,
  CallContextRepository,
  CallProgressRepository,
  CallEventsRepository,
  CallEvidenceRepository,
  CallRetentionRepository,
  CallScheduleRepository,
  CallWordsRepository,
  LiveCallsRepository,
  DialChecksRepository,
  DialersRepository,
  DoNotCallRepository,
  ExpiredTranscriptsRepository,
  InboundCallsRepository,
  WebClaimsRepository,
  OverdueCallsRepository,
  SpendReservationsRepository,
  WaitingCallersRepository,
  WebCallsRepository,
  WebKeysRepository,
];

const SERVICES = [
  CallsService,
  CallCreationService,
  CampaignCallsService,
  CallCancellationService,
  CallClaimsService,
  CallCommandsService,
  ToolReportsService,
  CallProgressService,
  CallEventsService,
  CallEventPollerService,
  CallDiagnosticsService,
  CallReleaseService,
  CallRetentionService,
  CallWordsService,
  LiveCallsService,
  CallLinksService,
  DialChecksService,
  DialerProvidersService,
  DialersService,
  DoNotCallImportService,
  DoNotCallService,
  RecordingsService,
  SpendReservationsService,
  TranscriptsService,
  WaitingCallersService,
  WebCallsService,
  WebKeysService,
  WebhookReplaysService,
];

/**
 * Calls from the queue to their retention. The processes of the service share the tables: the API creates and reads calls, dialers
 * claim and end them, workers sweep and delete. The database decides which process works on what (docs/decisions/0001); a job of the
 * queue only wakes a dialer.
 */
@Module({
  imports: [
    AccountsModule,
    AgentLookupsModule,
    AuditModule,
    DailySpendModule,
    ToolCallbacksModule,
    WebhooksModule,
    TypeOrmModule.forFeature([DoNotCallEntity, WebKeyEntity]),
  ],
  providers: [...REPOSITORIES, ...SERVICES, QueuedRefusalService],
  exports: [...SERVICES, CallBacklogRepository],
})
export class CallsModule {}
