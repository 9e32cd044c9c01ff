import { describe, expect, it } from '@jest/globals';
import { RenderedTooLarge, TemplateRenderer, type TemplateScope } from './template.js';

const SCOPE: TemplateScope = {
  args: {
    city: 'Köln',
    count: 3,
    express: false,
    nothing: null,
    items: [{ sku: 'a-1' }, { sku: 'b-2' }],
    address: { city: 'Bonn' },
    nested: '{{args.city}}',
    'odd-name': 1,
  },
  vars: { booking: 'b-1' },
  callback: null,
  call: { id: '0190', to_number: '+15550002222' },
  metadata: { tier: 'gold', tags: ['x', 'y'] },
  agent: { id: 7, name: 'Receptionist' },
};

const render = (template: unknown, room = 1_000) => new TemplateRenderer(SCOPE, room).value(template);

describe('a template', () => {
  it.each<[unknown, unknown]>([
    // Exactly one placeholder keeps its type.
    ['{{args.count}}', 3],
    ['{{vars.booking}}', 'b-1'],
    ['{{vars.constructor}}', null],
    ['{{args.express}}', false],
    ['{{args.nothing}}', null],
    ['{{args.city}}', 'Köln'],
    ['{{args.address}}', { city: 'Bonn' }],
    ['{{args.items}}', [{ sku: 'a-1' }, { sku: 'b-2' }]],
    ['{{ args.count }}', 3],
    ['{{agent.id}}', 7],
    ['{{metadata}}', { tier: 'gold', tags: ['x', 'y'] }],
    // Paths.
    ['{{args.address.city}}', 'Bonn'],
    ['{{args.items.1.sku}}', 'b-2'],
    ['{{metadata.tags.0}}', 'x'],
    ['{{args.odd-name}}', 1],
    // Missing: null when exact, empty inside text.
    ['{{args.absent}}', null],
    ['{{args.items.9.sku}}', null],
    ['{{args.items.length}}', null],
    ['{{args.city.length}}', null],
    ['{{args.constructor}}', null],
    ['{{args.__proto__}}', null],
    ['<{{args.absent}}>', '<>'],
    ['<{{args.nothing}}>', '<>'],
    // Inside text.
    ['to {{args.city}}', 'to Köln'],
    ['{{args.city}}{{args.count}}', 'Köln3'],
    [' {{args.count}}', ' 3'],
    ['items: {{args.items}}', 'items: [{"sku":"a-1"},{"sku":"b-2"}]'],
    ['{{call.to_number}} by {{agent.name}}, {{metadata.tier}}', '+15550002222 by Receptionist, gold'],
    // Values are not templates.
    ['{{args.nested}}', '{{args.city}}'],
    ['<{{args.nested}}>', '<{{args.city}}>'],
    // Not ours.
    ['{{name}}', '{{name}}'],
    ['{{env.SECRET}}', '{{env.SECRET}}'],
    ['{{argsx.city}}', '{{argsx.city}}'],
    ['{{args.}}', '{{args.}}'],
    ['{args.city}', '{args.city}'],
    ['{{{args.count}}}', '{3}'],
    // Deep, and everything that is not text.
    [
      { a: ['{{args.count}}', 1, null, true], '{{args.city}}': { b: 'x{{args.count}}' } },
      { a: [3, 1, null, true], '{{args.city}}': { b: 'x3' } },
    ],
    [null, null],
    [5, 5],
  ])('%j -> %j', (template, expected) => expect(render(template)).toEqual(expected));

  it('has no call fields outside of a call', () => {
    const outside = new TemplateRenderer({ ...SCOPE, call: null, metadata: null }, 1_000);
    expect(outside.value(['{{call.id}}', '<{{call.id}}>', '{{metadata.tier}}', '{{call}}'])).toEqual([
      null,
      '<>',
      null,
      null,
    ]);
  });

  it('fails when the inserted values exceed the limit', () => {
    const large = { ...SCOPE, args: { text: 'x'.repeat(100) } };
    const nine = Array.from({ length: 9 }, () => '{{args.text}}');
    expect(new TemplateRenderer(large, 1_000).value(nine)).toHaveLength(9);
    expect(() => new TemplateRenderer(large, 1_000).value([...nine, '{{args.text}}'])).toThrow(RenderedTooLarge);
    expect(() => new TemplateRenderer(large, 1_000).text(' {{args.text}}'.repeat(11))).toThrow(RenderedTooLarge);
  });
});
