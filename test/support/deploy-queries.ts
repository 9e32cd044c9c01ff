import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** A PromQL expression and its file. */
export interface Query {
  where: string;
  expr: string;
}

/** Keys of expressions in autoscalers, adapters and rules; `trunkline_` metrics are found under other keys as well. */
const KEYS = new Set(['query', 'expr', 'seriesQuery', 'metricsQuery']);
const RUNBOOKS = 'docs/operate/runbooks';

/** All expressions in the YAML files below a folder. */
export const queriesOfYaml = (folder: string): Query[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ya?ml$/.test(file))
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(folder, file), 'utf8')).flatMap((document) =>
        expressions(document.toJS(), '').map((expr) => ({ where: file, expr })),
      ),
    );

function expressions(value: unknown, key: string): string[] {
  if (typeof value === 'string') return KEYS.has(key) || isExpression(value) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((one) => expressions(one, key));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => expressions(one, name));
}

/** Templates in annotations contain words that are not PromQL. */
const isExpression = (text: string): boolean => text.includes('trunkline_') && !text.includes('{{');

/** The PromQL expressions of a runbook. */
export const queriesOfRunbooks = (): Query[] =>
  readdirSync(RUNBOOKS).flatMap((file) =>
    [...readFileSync(join(RUNBOOKS, file), 'utf8').matchAll(/`([^`\n]*trunkline_[^`\n]*)`/g)].map(([, expr = '']) => ({
      where: file,
      expr,
    })),
  );
