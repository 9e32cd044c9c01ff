import { metrics } from '@app/metrics';
import type { ProcessReport } from './process-document.js';

/** A document is searchable: how long each part of it took. */
export function countProcessed(report: ProcessReport): void {
  const { fetch_ms: fetch, wait_ms: wait, read_ms: read, embed_ms: embed, index_ms: index } = report;
  for (const [stage, ms] of Object.entries({ fetch, wait, read, embed, index })) {
    if (ms !== undefined) metrics.documentStageSeconds.observe({ stage }, ms / 1_000);
  }
  metrics.documentsEnded.inc({ outcome: 'completed' });
}

export const countFailed = (): void => metrics.documentsEnded.inc({ outcome: 'failed' });
