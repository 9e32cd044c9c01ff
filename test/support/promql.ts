import type { Matcher } from './metric-labels.js';

/** PromQL keywords in positions of names or labels. */
const WORDS = new Set(
  `sum min max avg count topk bottomk quantile by without on ignoring group_left group_right and or unless bool offset rate irate
   increase delta histogram_quantile time absent abs ceil floor clamp_min clamp_max humanizePercentage`.split(/\s+/),
);

export interface Selector {
  metric: string;
  matchers: Matcher[];
}

/** Replaces quoted strings, which may contain any character, before the rest is parsed. */
const QUOTED = /"((?:[^"\\]|\\.)*)"/g;

/** The selectors of an expression, and the labels that its aggregations name. */
export function parsePromql(expression: string): { selectors: Selector[]; grouped: string[] } {
  const texts: string[] = [];
  const bare = expression
    .replaceAll(QUOTED, (_, text: string) => `"${texts.push(text.replaceAll('\\\\', '\\')) - 1}"`)
    .replaceAll(/\[[^\]]*\]/g, '');
  const grouped = [...bare.matchAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g)].flatMap(
    ([, list = '']) => list.split(',').flatMap((label) => label.trim() || []),
  );
  const rest = bare.replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const found = rest.matchAll(/\b([a-zA-Z_:][\w:]*)\b(?!\s*\()\s*(\{[^}]*\})?/g);
  const selectors = [...found].flatMap(([, metric = '', matchers = '']) =>
    WORDS.has(metric) ? [] : { metric, matchers: matchersOf(matchers, texts) },
  );
  return { selectors, grouped };
}

const matchersOf = (text: string, texts: readonly string[]): Matcher[] =>
  [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"(\d+)"/g)].map(([, label = '', operator = '=', at = '']) => ({
    label,
    operator: operator as Matcher['operator'],
    value: texts[Number(at)] ?? '',
  }));
