import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { workspaceJsonSchema, workspaceReference } from './workspace-reference.js';

type Schema = Record<string, unknown> & { properties?: Record<string, Schema>; items?: Schema; anyOf?: Schema[] };

/** The paths of keys without a description. */
function undescribed(schema: Schema, path: string): string[] {
  const keys = Object.entries(schema.properties ?? {}).flatMap(([key, one]) => [
    ...(typeof one.description === 'string' ? [] : [`${path}.${key}`]),
    ...undescribed(one, `${path}.${key}`),
  ]);
  const inner = [...(schema.items ? [schema.items] : []), ...(schema.anyOf ?? [])];
  return [...keys, ...inner.flatMap((one) => undescribed(one, path))];
}

describe('the reference of workspace files', () => {
  it('describes every key', () => expect(undescribed(workspaceJsonSchema(), '')).toEqual([]));

  it('is what docs/workspace.schema.json holds; `npm run workspace-docs` writes it', () =>
    expect(JSON.parse(readFileSync('docs/workspace.schema.json', 'utf8'))).toEqual(workspaceJsonSchema()));

  it('is what docs/workspace-reference.md holds; `npm run workspace-docs` writes it', () =>
    expect(readFileSync('docs/workspace-reference.md', 'utf8')).toBe(workspaceReference()));
});
