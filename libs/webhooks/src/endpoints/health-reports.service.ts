import { AuditService, THE_SERVICE } from '@app/audit';
import { Database, type Sql } from '@app/database';
import { Inject, Injectable } from '@nestjs/common';
import { DISPATCH_SETTINGS, type DispatchSettings } from '../dispatch/dispatch-settings.js';
import { breakerAfter, type HostReport } from '../domain/breaker.js';
import { endpointAfter, type DisabledReason, type EndpointReport } from '../domain/endpoint-health.js';
import type { AccountHostReport, HostStatus } from '../dispatch/host-failure-window.js';
import {
  type EndpointKey,
  type EndpointRow,
  healthOf,
  WebhookEndpointsRepository,
} from './webhook-endpoints.repository.js';
import { breakerOf, WebhookHostsRepository } from '../dispatch/webhook-hosts.repository.js';

interface AccountEndpointReport extends EndpointKey, EndpointReport {
  /** Whether a missing row is created: always for targets of calls, only after failures for targets of tools, whose paths may vary. */
  create: boolean;
}

/** An endpoint after a report. */
export interface EndpointStatus extends EndpointKey {
  id: number;
  disabledReason: DisabledReason | null;
  /** By this report. */
  disabledNow: boolean;
}

interface HealthStatus {
  hosts: HostStatus[];
  endpoints: EndpointStatus[];
}

/** Combines the reports of all dispatchers on the database's clock: opens and closes breakers, disables endpoints. */
@Injectable()
export class HealthReportsService {
  constructor(
    private readonly database: Database,
    private readonly hosts: WebhookHostsRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly audit: AuditService,
    @Inject(DISPATCH_SETTINGS) private readonly settings: DispatchSettings,
  ) {}

  store(hosts: readonly AccountHostReport[], endpoints: readonly AccountEndpointReport[]): Promise<HealthStatus> {
    return this.database.transaction(async (tx) => ({
      hosts: hosts.length > 0 ? await this.storeHosts(hosts, tx) : [],
      endpoints: endpoints.length > 0 ? await this.storeEndpoints(endpoints, tx) : [],
    }));
  }

  private async storeHosts(reports: readonly AccountHostReport[], tx: Sql): Promise<HostStatus[]> {
    const locked = await this.hosts.lock(reports, tx);
    const changes = locked.map((row) => {
      const report: HostReport = reports.find((one) => one.account_id === row.account_id && one.host === row.host) ?? {
        requests: 0,
        failures: 0,
      };
      return { row, after: breakerAfter(breakerOf(row), report, row.now, this.settings.breaker) };
    });
    const breakers = changes.map(({ row: { account_id, host }, after }) => ({ account_id, host, ...after }));
    await this.hosts.store(breakers, tx);
    return changes.map(({ row, after }) => ({
      account_id: row.account_id,
      host: row.host,
      openForMs: after.openUntil === null ? null : after.openUntil - row.now,
      requests: after.requests,
      failures: after.failures,
      changed: after.openUntil !== row.open_until,
    }));
  }

  private async storeEndpoints(reports: readonly AccountEndpointReport[], tx: Sql): Promise<EndpointStatus[]> {
    const locked = await this.endpoints.lock(reports, tx);
    const changes = locked.map((row) => ({
      row,
      after: endpointAfter(healthOf(row), reportOf(row, reports), row.now),
    }));
    const stored = changes.map(({ row: { account_id, url }, after }) => ({ account_id, url, ...after }));
    await this.endpoints.store(stored, tx);
    const statuses = changes.map(({ row, after }) => ({
      id: row.id,
      account_id: row.account_id,
      url: row.url,
      disabledReason: after.disabledReason,
      disabledNow: after.disabledAt !== null && row.disabled_at === null,
    }));
    for (const status of statuses) if (status.disabledNow) await this.recordDisabled(status, tx);
    return statuses;
  }

  /** Without the path: the path of a webhook is often its secret. */
  private recordDisabled({ id, account_id, url, disabledReason }: EndpointStatus, tx: Sql): Promise<void> {
    const change = { action: 'webhook_endpoint.disabled', subject: { kind: 'webhook_endpoint', id } } as const;
    const details = { reason: disabledReason, host: new URL(url).host };
    return this.audit.record({ accountId: account_id, actor: THE_SERVICE, ...change, details }, tx);
  }
}

const NO_ATTEMPTS: EndpointReport = { succeeded: false, failed: false, gone: false, status: null };

const reportOf = (row: EndpointRow, reports: readonly AccountEndpointReport[]): EndpointReport =>
  reports.find((one) => one.account_id === row.account_id && one.url === row.url) ?? NO_ATTEMPTS;
