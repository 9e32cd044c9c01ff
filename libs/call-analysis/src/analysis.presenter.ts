import { isoTime, timeOrNull, usd } from '@app/common';
import type { AnalysisStatus } from './call-analysis.entity.js';
import type { AnalysisRow, BatchRow } from './call-analyses.repository.js';

/** An analysis as the API and its webhook show it. */
export const analysisView = (row: AnalysisRow) => ({
  id: row.id,
  call_id: row.call_id,
  version: row.version,
  batch_id: row.batch_id,
  status: row.status,
  source: row.source,
  model: row.model,
  values: row.result?.values ?? null,
  fields: row.result?.fields ?? [],
  rubric: row.result?.rubric ?? [],
  summary: row.result?.summary ?? null,
  error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
  waiting_for: row.waiting_for,
  attempts: row.attempts,
  cost: usd(Number(row.cost_micros)),
  costs: row.costs.map((line) => ({
    kind: line.kind,
    description: line.description,
    quantity: line.quantity,
    unit: line.unit,
    unit_price: usd(line.unit_price_micros),
    amount: usd(line.amount_micros),
  })),
  settings: row.settings,
  created_at: isoTime(row.created_at),
  started_at: timeOrNull(row.started_at),
  finished_at: timeOrNull(row.finished_at),
});

export type AnalysisView = ReturnType<typeof analysisView>;

export function batchView(batch: BatchRow) {
  const { completed = 0, failed = 0, running = 0, pending = 0 } = batch.counts;
  return {
    id: batch.id,
    status: pending + running > 0 ? ('running' as const) : ('completed' as const),
    calls: batch.calls,
    analyses: { pending, running, completed, failed } satisfies Record<AnalysisStatus, number>,
    cost: usd(batch.costMicros),
    filter: batch.filter,
    settings: batch.settings,
    created_at: isoTime(batch.createdAt),
  };
}

export type BatchView = ReturnType<typeof batchView>;
