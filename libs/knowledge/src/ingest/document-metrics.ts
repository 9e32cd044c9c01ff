import { metrics } from '@app/metrics';
import type { ProcessReport } from './document-pipeline.js';
import { endSpan, type Span, startSpan } from '@app/common';
import type { ClaimedDocument } from './document-claims.repository.js';
import type { DocumentLease } from './document-lease.js';

/** A document is searchable: how long each part of it took. */
export function countProcessed(report: ProcessReport): void {
  const { fetch_ms: fetch, wait_ms: wait, read_ms: read, embed_ms: embed, index_ms: index } = report;
  for (const [stage, ms] of Object.entries({ fetch, wait, read, embed, index })) {
    if (ms !== undefined) metrics.documentStageSeconds.observe({ stage }, ms / 1_000);
  }
  metrics.documentsEnded.inc({ outcome: 'completed' });
}

export const countFailed = (): void => metrics.documentsEnded.inc({ outcome: 'failed' });

/** One try to process a document is one trace: the request that uploaded it may have ended hours ago. */
export const startDocumentSpan = ({ id, account_id, generation, attempt }: ClaimedDocument): Span | undefined =>
  startSpan('document', {
    kind: 'CONSUMER',
    attributes: {
      'trunkline.knowledge_base_id': id,
      'trunkline.account_id': account_id,
      'trunkline.generation': generation,
      'trunkline.attempt': attempt,
    },
  });

/** `report`: undefined when it was not processed. */
export function endDocumentSpan(span: Span | undefined, { stage }: DocumentLease, report?: ProcessReport): void {
  const { fetch_ms, wait_ms, read_ms, embed_ms, index_ms } = report ?? {};
  const took = { fetch_ms, wait_ms, read_ms, embed_ms, index_ms };
  const attributes = Object.fromEntries(Object.entries(took).map(([name, ms]) => [`trunkline.document.${name}`, ms]));
  if (report) endSpan(span, { attributes });
  else endSpan(span, { failed: true, attributes: { 'trunkline.document.stage': stage ?? undefined } });
}
