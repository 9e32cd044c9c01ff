import { AccountsModule } from '@app/accounts';
import { AgentsModule } from '@app/agents';
import { AuditModule } from '@app/audit';
import { CallsModule, PriceBookModule } from '@app/calls';
import type { Env, Log } from '@app/common';
import { DatabaseModule } from '@app/database';
import { EgressModule } from '@app/egress';
import { KnowledgeSearchModule } from '@app/knowledge';
import { QueueModule } from '@app/queue';
import { SettingsModule } from '@app/common/settings';
import { StorageModule } from '@app/storage';
import { ToolsModule } from '@app/tools';
import { WebhooksModule } from '@app/webhooks';
import { type DynamicModule, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AgentOnCallFactory } from './agent/agent-on-call.factory.js';
import { AgentVoicesService } from './agent/agent-voices.service.js';
import { CallContextService } from './call/call-context.service.js';
import { CallEndingService } from './call/call-ending.service.js';
import { CallEngineService } from './trunks/call-engine.service.js';
import { CallRecordsService } from './call/call-records.service.js';
import { CallRunFactory } from './call/call-run.js';
import { CallToolsService } from './agent/call-tools.service.js';
import { CommandDeliveryService } from './call/command-delivery.service.js';
import { DialProcessor } from './dial.processor.js';
import { DialerService } from './dialer.service.js';
import { EvidenceWriterService } from './trunks/evidence-writer.service.js';
import { InternalServerService } from './internal/internal-server.service.js';
import { InboundCallsService } from './inbound/inbound-calls.service.js';
import { KnownTrunksService } from './trunks/known-trunks.service.js';
import { LISTENING_PATH, ListenersService } from './listening/listeners.service.js';
import { LiveWordsService } from './agent/live-words.service.js';
import { NextAgentsService } from './agent/next-agents.service.js';
import { MediaService } from './media/media.service.js';
import { PreCallService } from './call/pre-call.service.js';
import { TelephonyService } from './trunks/telephony.service.js';
import { TrunkHealthMonitorService } from './trunks/trunk-health-monitor.service.js';
import { TrunkRegistrationsService } from './trunks/trunk-registrations.service.js';
import { WebLinesService } from './web/web-lines.service.js';
import { QueuedCallersService } from './inbound/queued-callers.service.js';

/** The composition root of the dialer process: it places and takes calls, and checks the health of trunks. */
@Module({})
export class DialerModule implements OnModuleInit, OnModuleDestroy {
  /** The error of an unclean stop: Nest does not pass on errors of shutdown hooks. */
  stopError: unknown;

  static forRoot(env: Env, log: Log): DynamicModule {
    return {
      module: DialerModule,
      imports: [
        SettingsModule.forRoot({ env, log, role: 'dialer' }),
        DatabaseModule.forRoot(),
        StorageModule,
        EgressModule,
        QueueModule.forRoot(env),
        AccountsModule,
        AgentsModule,
        AuditModule,
        CallsModule,
        KnowledgeSearchModule,
        PriceBookModule,
        ToolsModule,
        WebhooksModule,
      ],
      providers: [
        AgentOnCallFactory,
        AgentVoicesService,
        CallContextService,
        CallEndingService,
        CallEngineService,
        CallRecordsService,
        CallRunFactory,
        CallToolsService,
        CommandDeliveryService,
        DialerService,
        DialProcessor,
        EvidenceWriterService,
        InboundCallsService,
        InternalServerService,
        KnownTrunksService,
        ListenersService,
        LiveWordsService,
        MediaService,
        NextAgentsService,
        PreCallService,
        TelephonyService,
        TrunkHealthMonitorService,
        TrunkRegistrationsService,
        QueuedCallersService,
        WebLinesService,
      ],
    };
  }

  constructor(
    private readonly knownTrunks: KnownTrunksService,
    private readonly engines: CallEngineService,
    private readonly dialer: DialerService,
    private readonly inbound: InboundCallsService,
    private readonly internal: InternalServerService,
    private readonly webLines: WebLinesService,
    private readonly listening: ListenersService,
    private readonly healthMonitor: TrunkHealthMonitorService,
    private readonly registrations: TrunkRegistrationsService,
    private readonly evidence: EvidenceWriterService,
  ) {}

  /**
   * The module starts its providers itself: their order matters, and Nest starts the providers of a module together. Calls begin with
   * `DialerService.start`.
   */
  async onModuleInit(): Promise<void> {
    try {
      await this.knownTrunks.start();
      await this.engines.start();
      this.internal.route({
        path: LISTENING_PATH,
        accept: (upgrade) => this.listening.accept(upgrade, (callId) => this.dialer.run(callId)),
      });
      await this.internal.start();
      this.webLines.start();
      this.engines.engine.onIncoming?.((invitation) => void this.inbound.receive(invitation));
      this.healthMonitor.start();
      this.registrations.start();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Nest destroys this module first: queue and database stay open until every call has ended. */
  async onModuleDestroy(): Promise<void> {
    try {
      await this.healthMonitor.stop();
      await this.registrations.stop();
      await this.dialer.drain();
    } catch (error) {
      this.stopError = error;
    } finally {
      // Also without a database: the remote parties get their BYE.
      await this.close().catch((error: unknown) => (this.stopError ??= error));
    }
  }

  private async close(): Promise<void> {
    await this.knownTrunks.stop();
    await this.engines.close();
    await this.internal.close();
    await this.evidence.flush();
  }
}
