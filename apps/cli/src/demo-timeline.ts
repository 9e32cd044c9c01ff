/** Prints what happens with the seconds since the start, and keeps it for the file. */
export class Timeline {
  readonly lines: string[] = [];
  private readonly start = performance.now();

  say(what: string): void {
    const seconds = ((performance.now() - this.start) / 1_000).toFixed(2).padStart(6);
    this.lines.push(`${seconds} s  ${what}`);
    console.log(`  ${this.lines.at(-1)}`);
  }
}

export interface Check {
  what: string;
  ok: boolean;
  /** What was found instead. */
  found?: string;
}

/** Prints the checks; true when all hold. */
export function report(checks: Check[]): boolean {
  for (const check of checks) {
    const found = check.ok || check.found === undefined ? '' : ` (found: ${check.found})`;
    console.log(`  ${check.ok ? 'ok    ' : 'FAILED'}  ${check.what}${found}`);
  }
  return checks.every((check) => check.ok);
}
