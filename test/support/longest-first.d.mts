export const LONG: readonly string[];

export default class LongestFirst {
  sort<T extends { path: string }>(tests: T[]): T[];
}
