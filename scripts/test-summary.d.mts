/** A test file in a JSON report of Jest. */
export interface FileResult {
  /** The path of the file. */
  name: string;
  status: string;
  /** The output of a failed file. */
  message: string;
  assertionResults: { ancestorTitles: string[]; title: string; status: string; failureMessages: string[] }[];
}

/** A test, or a check. */
export interface Failure {
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

export interface Run {
  results: FileResult[];
  /** Failed checks. */
  problems: Failure[];
}

export function skippedSuites(results: FileResult[]): SkippedSuite[];
export function failedTests(results: FileResult[], root: string): Failure[];
export function summaryOf(run: Run, root: string): { failed: number; lines: string[] };
