import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  components: {
    schemas: { ValidationErrorDto: { properties: { codes: { additionalProperties: { items: { enum: string[] } } } } } };
  };
};

describe('the page about errors', () => {
  it('lists the codes of openapi.json', () => {
    const page = readFileSync('docs/integrate/errors.md', 'utf8');
    const [, table = ''] = /\| Code \|.*?\n\|---\|---\|\n(.*?)\n\n/s.exec(page) ?? [];
    const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
    expect(listed).toEqual(
      document.components.schemas.ValidationErrorDto.properties.codes.additionalProperties.items.enum,
    );
  });
});
