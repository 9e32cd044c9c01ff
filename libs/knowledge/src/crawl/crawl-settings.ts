import { type CodedProblem, type FieldErrors, withCode } from '@app/common';

/** Settings of a crawl as sent by the user. */
export interface CrawlSettings {
  max_pages?: number;
  include?: string[];
  exclude?: string[];
  max_depth?: number;
}

export const CRAWL_LIMITS = {
  pages: { most: 500, usual: 50 },
  depth: { most: 100, usual: 10 },
  patterns: 50,
  patternLength: 200,
} as const;

/** Pages, sitemaps and links that a crawl remembers; further links are ignored. */
export const KNOWN_PAGES = 2_000;
/** Decoded bytes of all pages of a crawl. */
export const CRAWL_BYTES = 500 * 1024 * 1024;

/** The number of pages that a crawl reads. */
export const pagesOf = ({ max_pages: most }: CrawlSettings): number => most ?? CRAWL_LIMITS.pages.usual;

/** The pages of a sitemap are the user's choice: their links are followed only on demand. */
export const depthOf = ({ max_depth: most }: CrawlSettings, fromSitemap: boolean): number =>
  most ?? (fromSitemap ? 0 : CRAWL_LIMITS.depth.usual);

/** The errors of crawl settings by field (`crawl.max_pages`); empty if they are valid. */
export function crawlProblems(value: unknown, field = 'crawl'): FieldErrors {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { [field]: [withCode('wrong_type', `The ${field} field must be an object.`)] };
  }
  const { max_pages: pages, max_depth: depth, include, exclude, ...others } = value as Record<string, unknown>;
  const unknown = Object.keys(others).map((name) => [
    `${field}.${name}`,
    [withCode('unknown_field', `The ${field}.${name} field is unknown.`)],
  ]);
  return {
    ...numberProblem(`${field}.max_pages`, pages, 1, CRAWL_LIMITS.pages.most),
    ...numberProblem(`${field}.max_depth`, depth, 0, CRAWL_LIMITS.depth.most),
    ...patternProblems(`${field}.include`, include),
    ...patternProblems(`${field}.exclude`, exclude),
    ...(Object.fromEntries(unknown) as FieldErrors),
  };
}

function numberProblem(field: string, value: unknown, least: number, most: number): FieldErrors {
  if (value === undefined || value === null) return {};
  if (!Number.isInteger(value)) return { [field]: [withCode('wrong_type', `The ${field} field must be an integer.`)] };
  const fits = (value as number) >= least && (value as number) <= most;
  return fits
    ? {}
    : { [field]: [withCode('out_of_range', `The ${field} field must be between ${least} and ${most}.`)] };
}

function patternProblems(field: string, value: unknown): FieldErrors {
  if (value === undefined || value === null) return {};
  if (!Array.isArray(value)) return { [field]: [withCode('wrong_type', `The ${field} field must be an array.`)] };
  const { patterns, patternLength } = CRAWL_LIMITS;
  if (value.length > patterns)
    return { [field]: [withCode('too_many', `The ${field} field must not have more than ${patterns} items.`)] };
  const problems = value.map((pattern: unknown, index): [string, CodedProblem | undefined] => [
    `${field}.${index}`,
    patternProblem(`${field}.${index}`, pattern, patternLength),
  ]);
  return Object.fromEntries(problems.flatMap(([name, problem]) => (problem ? [[name, [problem]]] : [])));
}

function patternProblem(name: string, pattern: unknown, most: number): CodedProblem | undefined {
  if (typeof pattern !== 'string') return withCode('wrong_type', `The ${name} field must be a string.`);
  if (pattern.length > most)
    return withCode('too_long', `The ${name} field must not be greater than ${most} characters.`);
  if (/^(?:\/|\*|https?:\/\/)/.test(pattern) && !pattern.includes('\0')) return undefined;
  return withCode('invalid_format', `The ${name} field must be a path that begins with / or *, or a URL.`);
}

/** The stored form: only fields with a value. */
export function crawlSettings(value: unknown): CrawlSettings {
  const { max_pages, include, exclude, max_depth } = value as CrawlSettings;
  const given = Object.entries({ max_pages, include, exclude, max_depth }).filter(([, one]) => one != null);
  return Object.fromEntries(given);
}
