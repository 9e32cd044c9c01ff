import type { Failure, FileResult } from './test-summary.mjs';

export function runJest(title: string, flags: string[]): Promise<{ results: FileResult[]; problems: Failure[] }>;
