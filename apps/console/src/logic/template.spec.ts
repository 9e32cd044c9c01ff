import { describe, expect, it } from '@jest/globals';
import { declarableName, templateParts } from './template.js';

const kinds = (text: string): string[] =>
  templateParts(text, ['city']).map(({ kind, text: part }) => `${kind}:${part}`);

describe('the placeholders of a text', () => {
  it.each([
    ['Hello.', ['text:Hello.']],
    ['', []],
    ['Hi {{city}}!', ['text:Hi ', 'known:{{city}}', 'text:!']],
    ['{{ city | your city }}', ['known:{{ city | your city }}']],
    ['{{metadata.customer_name | there}}', ['known:{{metadata.customer_name | there}}']],
    ['{{call.to_number}}{{now}}', ['known:{{call.to_number}}', 'known:{{now}}']],
    ['{{town}}', ['unknown:{{town}}']],
    ['{{two words}}', ['unknown:{{two words}}']],
    ['{ city } {{city', ['text:{ city } {{city']],
  ])('of %j', (text, expected) => expect(kinds(text)).toEqual(expected));
});

it.each([
  ['{{town}}', 'town'],
  ['{{ variables.town | here }}', 'town'],
  ['{{town.name}}', undefined],
  ['{{2nd}}', undefined],
  ['{{call}}', undefined],
  ['{{two words}}', undefined],
])('%s declares the variable %s', (placeholder, name) => expect(declarableName(placeholder)).toBe(name));
