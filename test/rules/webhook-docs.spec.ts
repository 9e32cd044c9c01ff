import { describe, expect, it } from '@jest/globals';
import { DELIVERY_STATES, WEBHOOK_TYPES } from '@app/webhooks';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBlocks } from '../support/page-code.js';

const PAGES = ['webhooks', 'webhook-delivery', 'webhook-signatures', 'pre-call-webhook'].map(
  (name) => `docs/${name}.md`,
);
const text = PAGES.map((page) => readFileSync(page, 'utf8')).join('\n');
const blocks = (language: string): string[] => PAGES.flatMap((page) => codeBlocks(page, language));

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
}
const openapi = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, unknown>>;
  components: { schemas: Record<string, Schema> };
};

/** The paths of the fields of a body that its schema does not have. */
function unknown(value: unknown, schema: Schema, path = ''): string[] {
  const { properties, items } = whole(schema);
  if (Array.isArray(value)) return items ? value.flatMap((one) => unknown(one, items, `${path}[]`)) : [];
  if (!properties || value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, one]) =>
    properties[name] ? unknown(one, properties[name], `${path}.${name}`) : [`${path}.${name}`],
  );
}

function whole(schema: Schema): Schema {
  const ref = schema.$ref ?? schema.allOf?.find(({ $ref }) => $ref)?.$ref;
  return ref ? openapi.components.schemas[ref.split('/').at(-1)!]! : schema;
}

describe('the pages about webhooks', () => {
  it.each([...WEBHOOK_TYPES, ...DELIVERY_STATES])('describe %s', (name) => expect(text).toContain(`| \`${name}\` |`));

  it('show bodies that match the contract', () => {
    const bodies = blocks('json').map((block) => JSON.parse(block) as { type?: string });
    const schemas = [
      ...['CallStatusEventDto', 'PostCallEventDto', 'ToolActionBodyDto', 'TestEventDto', 'CampaignEventDto'],
      'TestRunEventDto',
      ...['PreCallEventDto', 'PreCallAnswerDto'],
    ];
    expect(bodies.map(({ type }) => type)).toEqual([
      'call-status',
      'post-call',
      undefined,
      'test',
      'campaign',
      'test-run',
      'pre-call',
      undefined,
    ]);
    schemas.forEach((name, index) => expect(unknown(bodies[index], openapi.components.schemas[name]!)).toEqual([]));
  });

  it('use only existing routes', () => {
    const asked = [
      ...blocks('sh')
        .join('')
        .matchAll(/^curl (?:-X (\w+) )?"\$URL([^"?]+)/gm),
    ].map(([, method = 'GET', path = '']) => [method.toLowerCase(), path.replaceAll(/\$\w+/g, '{id}')] as const);
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter(([method, path]) => !openapi.paths[path]?.[method])).toEqual([]);
  });

  it('link only to existing files', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => join('docs', link!));
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  });
});
