export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

export function totalsOf(step: { code: number; output: string }): Totals;
export function failuresOf(output: string): string[];
export function sumOf(all: readonly Totals[]): Totals;
export function totalsLine(totals: Totals): string;
