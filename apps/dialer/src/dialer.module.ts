import { AccountsModule } from '@app/accounts';
import { AgentsModule } from '@app/agents';
import { CallsModule } from '@app/calls';
import type { Env, Log } from '@app/common';
import { DatabaseModule } from '@app/database';
import { EgressModule } from '@app/egress';
import { KnowledgeSearchModule } from '@app/knowledge';
import { QueueModule } from '@app/queue';
import { SettingsModule } from '@app/settings';
import { StorageModule } from '@app/storage';
import { ToolsModule } from '@app/tools';
import { type DynamicModule, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { AgentOnCallFactory } from './agent-on-call.js';
import { CallContextService } from './call-context.service.js';
import { CallEndingService } from './call-ending.service.js';
import { CallRecordsService } from './call-records.service.js';
import { CallRunFactory } from './call-run.js';
import { CallToolsService } from './call-tools.service.js';
import { DialProcessor } from './dial.processor.js';
import { DialerService } from './dialer.service.js';
import { EvidenceWriter } from './evidence-writer.js';
import { InboundCallHandler } from './inbound-call-handler.js';
import { KnownTrunks } from './known-trunks.js';
import { TelephonyService } from './telephony.service.js';
import { TrunkHealthMonitor } from './trunk-health-monitor.js';

/** The composition root of the dialer process: it places and takes calls, and checks the health of trunks. */
@Module({})
export class DialerModule implements OnModuleInit, OnModuleDestroy {
  /** Why it did not stop cleanly: Nest does not pass on what a hook throws at the end. */
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
        ToolsModule,
      ],
      providers: [
        AgentOnCallFactory,
        CallContextService,
        CallEndingService,
        CallRecordsService,
        CallRunFactory,
        CallToolsService,
        DialerService,
        DialProcessor,
        EvidenceWriter,
        InboundCallHandler,
        KnownTrunks,
        TelephonyService,
        TrunkHealthMonitor,
      ],
    };
  }

  constructor(
    private readonly knownTrunks: KnownTrunks,
    private readonly telephony: TelephonyService,
    private readonly dialer: DialerService,
    private readonly inbound: InboundCallHandler,
    private readonly healthMonitor: TrunkHealthMonitor,
    private readonly evidence: EvidenceWriter,
  ) {}

  /** Here and not in the providers: the order counts, and Nest starts the providers of a module together. Calls begin with `DialerService.start`. */
  async onModuleInit(): Promise<void> {
    try {
      await this.knownTrunks.start();
      await this.telephony.start();
      this.telephony.onIncoming((invitation) => this.inbound.receive(invitation));
      this.healthMonitor.start();
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /** Nest destroys this module first: queue and database work until every call has ended. */
  async onModuleDestroy(): Promise<void> {
    try {
      await this.healthMonitor.stop();
      await this.dialer.drain();
    } catch (error) {
      this.stopError = error;
    } finally {
      // Also when the database is gone: the far ends get their BYE.
      await this.close().catch((error: unknown) => (this.stopError ??= error));
    }
  }

  private async close(): Promise<void> {
    await this.knownTrunks.stop();
    await this.telephony.close();
    await this.evidence.flush();
  }
}
