import { AccountsModule } from '@app/accounts';
import { AgentsModule } from '@app/agents';
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
import { AgentVoices } from './agent/agent-voices.js';
import { CallContextService } from './call/call-context.service.js';
import { CallEndingService } from './call/call-ending.service.js';
import { CallEngineService } from './trunks/call-engine.service.js';
import { CallRecordsService } from './call/call-records.service.js';
import { CallRunFactory } from './call/call-run.js';
import { CallToolsService } from './agent/call-tools.service.js';
import { CommandDelivery } from './call/command-delivery.service.js';
import { DialProcessor } from './dial.processor.js';
import { DialerService } from './dialer.service.js';
import { EvidenceWriter } from './trunks/evidence-writer.js';
import { InboundCallHandler } from './inbound/inbound-call-handler.js';
import { KnownTrunks } from './trunks/known-trunks.js';
import { LiveWords } from './agent/live-words.service.js';
import { MediaService } from './media/media.service.js';
import { PreCallService } from './call/pre-call.service.js';
import { TelephonyService } from './trunks/telephony.service.js';
import { TrunkHealthMonitor } from './trunks/trunk-health-monitor.js';
import { TrunkRegistrations } from './trunks/trunk-registrations.js';
import { WaitingCallers } from './inbound/waiting-callers.js';

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
        CallsModule,
        KnowledgeSearchModule,
        PriceBookModule,
        ToolsModule,
        WebhooksModule,
      ],
      providers: [
        AgentOnCallFactory,
        AgentVoices,
        CallContextService,
        CallEndingService,
        CallEngineService,
        CallRecordsService,
        CallRunFactory,
        CallToolsService,
        CommandDelivery,
        DialerService,
        DialProcessor,
        EvidenceWriter,
        InboundCallHandler,
        KnownTrunks,
        LiveWords,
        MediaService,
        PreCallService,
        TelephonyService,
        TrunkHealthMonitor,
        TrunkRegistrations,
        WaitingCallers,
      ],
    };
  }

  constructor(
    private readonly knownTrunks: KnownTrunks,
    private readonly engines: CallEngineService,
    private readonly dialer: DialerService,
    private readonly inbound: InboundCallHandler,
    private readonly healthMonitor: TrunkHealthMonitor,
    private readonly registrations: TrunkRegistrations,
    private readonly evidence: EvidenceWriter,
  ) {}

  /**
   * The module starts its providers itself: their order matters, and Nest starts the providers of a module together. Calls begin with
   * `DialerService.start`.
   */
  async onModuleInit(): Promise<void> {
    try {
      await this.knownTrunks.start();
      await this.engines.start();
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
    await this.evidence.flush();
  }
}
