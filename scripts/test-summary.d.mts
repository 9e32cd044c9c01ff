export interface JestReport {
  testResults: { assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[];
}

export interface SkippedSuite {
  suite: string;
  reason: string;
  /** Of its tests. */
  count: number;
}

export function skippedSuites(report: JestReport): SkippedSuite[];
export function summaryLines(total: { passed: number; failed: number; skipped: SkippedSuite[] }): string[];
