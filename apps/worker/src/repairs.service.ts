import { StorageQuotaService } from '@app/accounts';
import { AnalysisRunnerService } from '@app/call-analysis';
import { DialersService } from '@app/calls';
import type { Log } from '@app/common';
import { LOG } from '@app/common/settings';
import { DocumentIngestService } from '@app/knowledge';
import { ToolInvocationsService } from '@app/tools';
import { Inject, Injectable } from '@nestjs/common';

/** Repairs the state of processes that were killed. */
@Injectable()
export class RepairsService {
  constructor(
    private readonly dialers: DialersService,
    private readonly invocations: ToolInvocationsService,
    private readonly documents: DocumentIngestService,
    private readonly analyses: AnalysisRunnerService,
    private readonly quota: StorageQuotaService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  endLostCalls(): Promise<void> {
    return this.dialers.endLostCalls();
  }

  endExpiredCalls(): Promise<void> {
    return this.dialers.endExpiredCalls();
  }

  async endAbandonedInvocations(): Promise<void> {
    const invocations = await this.invocations.endAbandoned();
    if (invocations.length > 0) this.log.warn({ invocations }, 'tool invocations of a lost process were ended');
  }

  takeLostDocuments(): Promise<void> {
    return this.documents.reap();
  }

  takeLostAnalyses(): Promise<void> {
    return this.analyses.releaseLost();
  }

  async recountStorage(): Promise<void> {
    await this.quota.recount();
  }
}
