import { csvLine } from '@app/common/text-files';
import type { AnalyticsView } from './analytics.service.js';
import type { RubricView } from './rubric-analytics.service.js';

/** The rows of a response as CSV: one column per dimension, its label, and one per metric. */
export function analyticsCsv({ data, meta }: AnalyticsView): string {
  const dimensions = meta.group_by.flatMap((dimension) => [dimension, `${dimension}_label`]);
  const header = csvLine(['start', 'end', ...dimensions, 'is_other', ...meta.metrics]);
  const lines = data.map((row) =>
    csvLine([
      row.start,
      row.end,
      ...row.group.flatMap(({ value, label }) => [value, label]),
      row.is_other,
      ...meta.metrics.map((metric) => row.values[metric]),
    ]),
  );
  return [header, ...lines].join('');
}

const RUBRIC_COLUMNS = ['start', 'end', 'agent_id', 'agent_name', 'agent_version', 'name', 'type', 'calls', 'answered'];

/** One line per answer; questions without any answer have one line. */
export function rubricCsv({ data }: RubricView): string {
  const header = csvLine([...RUBRIC_COLUMNS, 'true_share', 'mean', 'answer', 'answer_calls']);
  const lines = data.flatMap((row) => {
    const shared = [row.start, row.end, row.agent_id, row.agent_name, row.agent_version, row.name, row.type];
    const measured = [row.calls, row.answered, row.true_share, row.mean];
    const answers = row.answers.length > 0 ? row.answers : [{ answer: '', calls: 0 }];
    return answers.map(({ answer, calls }) => csvLine([...shared, ...measured, answer, calls]));
  });
  return [header, ...lines].join('');
}
