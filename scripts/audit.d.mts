export interface LockEntry {
  resolved?: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  link?: boolean;
}
export function lockProblems(
  lock: { packages: Record<string, LockEntry> },
  licenceOf?: (path: string) => string | undefined,
): string[];
export function isAllowed(licence: string): boolean;
export function severeIn(report: object): string[] | null;
