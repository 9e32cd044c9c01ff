import { parser } from '@prometheus-io/lezer-promql';
import type { Matcher } from './metric-labels.js';

export interface Selector {
  metric: string;
  matchers: Matcher[];
}

/** Grafana's variable of a range. */
const RANGE = '$__rate_interval';

/** The selectors of an expression, and the labels that its aggregations name. Throws if it is not valid PromQL. */
export function parsePromql(template: string): { selectors: Selector[]; grouped: string[] } {
  const expression = template.replaceAll(RANGE, '5m');
  const selectors: Selector[] = [];
  const grouped: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ type, from, node }) => {
      const textOf = (name: string): string => {
        const child = node.getChild(name);
        return child ? expression.slice(child.from, child.to) : '';
      };
      if (type.isError) throw new Error(`Not PromQL at character ${from}: ${expression}`);
      if (type.name === 'GroupingLabels')
        grouped.push(...node.getChildren('LabelName').map((label) => expression.slice(label.from, label.to)));
      if (type.name === 'VectorSelector') selectors.push({ metric: textOf('Identifier'), matchers: [] });
      if (type.name === 'UnquotedLabelMatcher') {
        const operator = textOf('MatchOp') as Matcher['operator'];
        // Prometheus escapes like JSON in the strings of these files.
        const value = JSON.parse(textOf('StringLiteral')) as string;
        selectors.at(-1)?.matchers.push({ label: textOf('LabelName'), operator, value });
      }
    },
  });
  return { selectors, grouped };
}
