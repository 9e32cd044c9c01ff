import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

/** An expression of PromQL, and the file it stands in. */
export interface Query {
  where: string;
  expr: string;
}

/** Keys that hold expressions, of autoscalers, adapters and rules; metrics of ours are found under any other key, too. */
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

/** Templates of annotations have words of another language. */
const isExpression = (text: string): boolean => text.includes('trunkline_') && !text.includes('{{');

/** What a runbook tells people to look at. */
export const queriesOfRunbooks = (): Query[] =>
  readdirSync(RUNBOOKS).flatMap((file) =>
    [...readFileSync(join(RUNBOOKS, file), 'utf8').matchAll(/`([^`\n]*trunkline_[^`\n]*)`/g)].map(([, expr = '']) => ({
      where: file,
      expr,
    })),
  );
