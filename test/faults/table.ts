import { missedBars, type Bar, type Findings, type Row } from './row.js';

export interface Result {
  row: Row;
  seconds: number;
  /** Absent for skipped rows and errors. */
  found?: Findings;
  skipped?: string;
  error?: Error;
}

const HEAD = ['row', 'events', 'lost', 'duplicates', 'out of order', 'bar', 'verdict', 's'];

/** Why a row did not pass, one sentence per problem. */
export function problemsOf({ row, found, error }: Result): string[] {
  if (error) return [error.message];
  return found ? missedBars(row.bar(row.times), found) : [];
}

/** The matrix as Markdown. */
export function table(results: readonly Result[]): string {
  const lines = results.map((result) => cells(result).join(' | '));
  return [HEAD.join(' | '), HEAD.map(() => '---').join(' | '), ...lines].map((line) => `| ${line} |`).join('\n');
}

function cells(result: Result): string[] {
  const { row, found, seconds } = result;
  const counted = found ? [found.events, found.lost, found.duplicates, found.outOfOrder].map(String) : ['', '', '', ''];
  const times = row.times > 1 ? ` × ${row.times}` : '';
  return [`${row.fault}${times}`, ...counted, barText(row.bar(row.times)), verdict(result), seconds.toFixed(0)];
}

const barText = ({ duplicates, also }: Bar): string =>
  [`0 / ${duplicates === 0 ? '0' : `≤ ${duplicates}`} / 0`, also].filter(Boolean).join(', ');

function verdict(result: Result): string {
  if (result.skipped) return `SKIPPED: ${result.skipped}`;
  const problems = problemsOf(result);
  if (problems.length > 0) return `MISSED: ${problems.join('; ')}`;
  return ['passed', result.found?.measured].filter(Boolean).join('; ');
}
