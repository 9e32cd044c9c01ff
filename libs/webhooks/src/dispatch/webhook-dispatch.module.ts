import { AuditModule } from '@app/audit';
import { type DynamicModule, Module } from '@nestjs/common';
import { DeliveryHealthService } from '../endpoints/delivery-health.service.js';
import { DeliveryOutcomesService } from './delivery-outcomes.service.js';
import { DEFAULT_DISPATCH_SETTINGS, DISPATCH_SETTINGS, type DispatchSettings } from './dispatch-settings.js';
import { HealthReportsService } from '../endpoints/health-reports.service.js';
import { OpenDeliveriesRepository } from './open-deliveries.repository.js';
import { OutcomeBatcherService } from './outcome-batcher.service.js';
import { StreamClaimsService } from './stream-claims.service.js';
import { WebhookDispatcherService } from './webhook-dispatcher.service.js';
import { WebhookSenderService } from './webhook-sender.service.js';
import { WebhookStreamsRepository } from './webhook-streams.repository.js';
import { WebhooksModule } from '../webhooks.module.js';

/** Sends the deliveries of the outbox when its dispatcher is asked to. Only the worker imports it. */
@Module({})
export class WebhookDispatchModule {
  static forRoot(settings: Partial<DispatchSettings> = {}): DynamicModule {
    return {
      module: WebhookDispatchModule,
      imports: [AuditModule, WebhooksModule],
      providers: [
        { provide: DISPATCH_SETTINGS, useValue: { ...DEFAULT_DISPATCH_SETTINGS, ...settings } },
        DeliveryHealthService,
        DeliveryOutcomesService,
        HealthReportsService,
        OpenDeliveriesRepository,
        OutcomeBatcherService,
        StreamClaimsService,
        WebhookDispatcherService,
        WebhookSenderService,
        WebhookStreamsRepository,
      ],
      exports: [WebhookDispatcherService],
    };
  }
}
