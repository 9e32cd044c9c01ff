export interface JestReport {
  testResults: {
    /** The path of the file. */
    name: string;
    status: string;
    /** The output of a failed file. */
    message: string;
    assertionResults: { ancestorTitles: string[]; title: string; status: string; failureMessages: string[] }[];
  }[];
}

export interface FailedTest {
  /** File, suites and test, or the title of a check. */
  title: string;
  message: string;
}

export interface SkippedSuite {
  suite: string;
  reason: string;
  /** Of its tests. */
  count: number;
}

export function skippedSuites(report: JestReport): SkippedSuite[];
export interface Total {
  passed: number;
  failed: number;
  failures: FailedTest[];
  skipped: SkippedSuite[];
}

export function failedTests(report: JestReport, root: string): FailedTest[];
export function summaryLines(total: Total): string[];
