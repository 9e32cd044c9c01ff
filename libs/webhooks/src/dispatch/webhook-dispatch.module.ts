import { AuditModule } from '@app/audit';
import { type DynamicModule, Module } from '@nestjs/common';
import { DeliveryHealth } from '../endpoints/delivery-health.service.js';
import { DeliveryOutcomes } from './delivery-outcomes.service.js';
import { DEFAULT_DISPATCH_SETTINGS, DISPATCH_SETTINGS, type DispatchSettings } from './dispatch-settings.js';
import { HealthReports } from '../endpoints/health-reports.service.js';
import { OutcomeBatcher } from './outcome-batcher.service.js';
import { StreamClaims } from './stream-claims.service.js';
import { WebhookDispatcher } from './webhook-dispatcher.service.js';
import { WebhookSender } from './webhook-sender.service.js';
import { WebhookStreamsRepository } from './webhook-streams.repository.js';
import { WebhooksModule } from '../webhooks.module.js';

/** Sends the deliveries of the outbox from the start of the process to its end. Only the worker imports it. */
@Module({})
export class WebhookDispatchModule {
  static forRoot(settings: Partial<DispatchSettings> = {}): DynamicModule {
    return {
      module: WebhookDispatchModule,
      imports: [AuditModule, WebhooksModule],
      providers: [
        { provide: DISPATCH_SETTINGS, useValue: { ...DEFAULT_DISPATCH_SETTINGS, ...settings } },
        DeliveryHealth,
        DeliveryOutcomes,
        HealthReports,
        OutcomeBatcher,
        StreamClaims,
        WebhookDispatcher,
        WebhookSender,
        WebhookStreamsRepository,
      ],
      exports: [WebhookDispatcher],
    };
  }
}
