import { describe, expect, it } from '@jest/globals';
import { collectProcessMetrics, registry } from '@app/metrics';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { queriesOfRunbooks, queriesOfYaml } from '../support/deploy-queries.js';
import { baseOf, canMatch, LABEL_VALUES } from '../support/metric-labels.js';
import { parsePromql } from '../support/promql.js';
import { runbookOf } from '../support/runbook-link.js';

/** What Prometheus adds to every series. */
const ADDED = ['instance', 'job', 'le'];

interface Panel {
  title: string;
  targets?: { expr: string; legendFormat: string }[];
}

const boards = readdirSync('deploy/dashboards').filter((file) => file.endsWith('.json'));
const dashboards = boards.map((file) => ({
  file,
  board: JSON.parse(readFileSync(`deploy/dashboards/${file}`, 'utf8')) as {
    uid: string;
    title: string;
    panels: Panel[];
  },
}));

interface Rule {
  alert: string;
  expr: string;
  annotations: { summary: string; description: string; runbook_url: string };
  labels: { severity: string };
}
const rules = (
  parse(readFileSync('deploy/alerts/trunkline.yaml', 'utf8')) as { spec: { groups: { rules: Rule[] }[] } }
).spec.groups.flatMap((group) => group.rules);

const uses = [
  ...dashboards.flatMap(({ file, board }) =>
    board.panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({ where: `${file}: ${title}`, expr, shown: labelsIn(legendFormat) })),
    ),
  ),
  ...rules.map(({ alert, expr, annotations }) => ({ where: alert, expr, shown: labelsIn(annotations.description) })),
  // Autoscalers, adapters, and whatever else asks Prometheus.
  ...[...queriesOfYaml('deploy'), ...queriesOfRunbooks()].map((query) => ({ ...query, shown: [] })),
];

/** `{{route}}` of a legend, `{{ $labels.route }}` of an annotation. */
function labelsIn(text: string): string[] {
  return [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => name !== '$value');
}

/** What Prometheus stores: a histogram has three names. */
const known = new Map<string, readonly string[]>();
collectProcessMetrics('test');
for (const { name, type } of await registry.getMetricsAsJSON()) {
  const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] };
  // The name alone stands for all three in texts.
  const names = String(type) === 'histogram' ? ['_bucket', '_sum', '_count', ''].map((end) => name + end) : [name];
  for (const one of names) known.set(one, labelNames);
}

describe('queries of dashboards, alerts, autoscalers and runbooks', () => {
  it('are parsed like PromQL', () => {
    expect(
      parsePromql(
        'sum by (le, route) (rate(a_b_bucket{status=~"5..", x!="y{"}[5m])) / max(c) > 0.5 and time() - d < 3e9',
      ),
    ).toEqual({
      selectors: [
        {
          metric: 'a_b_bucket',
          matchers: [
            { label: 'status', operator: '=~', value: '5..' },
            { label: 'x', operator: '!=', value: 'y{' },
          ],
        },
        { metric: 'c', matchers: [] },
        { metric: 'd', matchers: [] },
      ],
      grouped: ['le', 'route'],
    });
  });

  it('are found in every file that contains queries', () => {
    expect(uses.length).toBeGreaterThan(110);
    expect(uses.filter(({ where }) => where.endsWith('production/autoscaling.yaml'))).toHaveLength(3);
    expect(dashboards.map(({ file }) => file)).toEqual([
      'api.json',
      'business.json',
      'calls.json',
      'delivery.json',
      'knowledge.json',
      'media-quality.json',
      'overview.json',
      'web-calls.json',
    ]);
  });

  it('use only existing metrics', () => {
    const wrong = uses.flatMap(({ where, expr }) =>
      parsePromql(expr).selectors.flatMap(({ metric }) => (known.has(metric) ? [] : `${where}: ${metric}`)),
    );
    expect(wrong).toEqual([]);
  });

  it('use only labels of these metrics', () => {
    const wrong = uses.flatMap(({ where, expr, shown }) => {
      const { selectors, grouped } = parsePromql(expr);
      const ofAll = new Set([...ADDED, ...selectors.flatMap(({ metric }) => known.get(metric) ?? [])]);
      const matched = selectors.flatMap(({ metric, matchers }) =>
        matchers.map(({ label }) => label).filter((label) => ![...ADDED, ...(known.get(metric) ?? [])].includes(label)),
      );
      return [...matched, ...[...grouped, ...shown].filter((label) => !ofAll.has(label))].map(
        (label) => `${where}: ${label}`,
      );
    });
    expect(wrong).toEqual([]);
  });

  it('use only possible values of these labels', () => {
    const wrong = uses.flatMap(({ where, expr }) =>
      parsePromql(expr).selectors.flatMap(({ metric, matchers }) =>
        matchers
          .filter((matcher) => !ADDED.includes(matcher.label) && !canMatch(metric, matcher))
          .map(({ label, value }) => `${where}: ${metric}{${label}="${value}"}`),
      ),
    );
    expect(wrong).toEqual([]);
  });

  it('can be compared with the values of every label', () => {
    const ours = [...known].filter(([name, labels]) => name.startsWith('trunkline_') && labels.length > 0);
    const labelled = Object.fromEntries(ours.map(([name, labels]) => [baseOf(name), [...labels].toSorted()]));
    const listed = Object.entries(LABEL_VALUES).map(([name, values]) => [name, Object.keys(values).toSorted()]);
    expect(Object.fromEntries(listed)).toEqual(labelled);
  });

  it('use every metric of the service', () => {
    const shown = new Set(uses.flatMap(({ expr }) => parsePromql(expr).selectors.map(({ metric }) => metric)));
    const base = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '');
    const all = new Set([...known.keys()].filter((name) => name.startsWith('trunkline_')).map(base));
    const seen = new Set([...shown].map(base));
    expect([...all].filter((name) => !seen.has(name))).toEqual([]);
  });

  it('use metrics without accounts, calls, numbers or addresses in their labels', () => {
    const allowed =
      `version role method route status limit direction cause outcome answered_by provider queue state kind stage part tool code`.split(
        ' ',
      );
    const ours = [...known].filter(([name]) => name.startsWith('trunkline_'));
    expect(ours.flatMap(([, labels]) => labels).filter((label) => !allowed.includes(label))).toEqual([]);
  });
});

describe('alerts', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s links to a runbook',
    (alert, { annotations, labels }) => {
      const name = alert
        .replace('Trunkline', '')
        .replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter}`)
        .toLowerCase();
      expect(runbookOf(annotations.runbook_url)).toEqual({
        file: `docs/operate/runbooks/${name}.md`,
        base: 'https://runbooks.example.com/trunkline',
      });
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
    },
  );

  it('have unique names', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});
