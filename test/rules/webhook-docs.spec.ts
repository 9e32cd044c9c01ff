import { describe, expect, it } from '@jest/globals';
import { DELIVERY_STATES, WEBHOOK_TYPES } from '@app/webhooks';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBlocks } from '../support/page-code.js';
import { contract, unknownFields } from '../support/unknown-fields.js';

const PAGES = ['webhooks', 'webhook-delivery', 'webhook-signatures', 'pre-call-webhook'].map(
  (name) => `docs/${name}.md`,
);
const text = PAGES.map((page) => readFileSync(page, 'utf8')).join('\n');
const blocks = (language: string): string[] => PAGES.flatMap((page) => codeBlocks(page, language));

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
    schemas.forEach((name, index) =>
      expect(unknownFields(bodies[index], contract.components.schemas[name]!)).toEqual([]),
    );
  });

  it('link only to existing files', () => {
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link]) => join('docs', link!));
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !existsSync(link))).toEqual([]);
  });
});
