import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { SchemaDto, StoredDto, ViewDto } from './schema-dto.js';

const leg = z.strictObject({ vendor: z.enum(['a', 'b']).describe('Vendor.') }).superRefine(() => undefined);
const agent = z.strictObject({
  name: z.string().max(9).describe('Name.'),
  seconds: z.int().min(1).max(9).default(3).describe('Seconds.'),
  note: z.string().nullish().describe('Note.'),
  legs: z.array(leg).max(2).nullish().describe('Legs.'),
  texts: z.union([z.string(), leg]).optional().describe('Texts.'),
});

class LegDto extends SchemaDto(agent.shape.legs, { vendor: 'a' }) {}
const EXAMPLES = { name: 'front desk', seconds: 5, note: null, legs: LegDto, texts: LegDto };
class AgentRequestDto extends SchemaDto(agent.transform((one) => one).optional(), EXAMPLES) {}
class AgentResponseDto extends StoredDto(agent, EXAMPLES) {}
class AgentViewDto extends ViewDto(agent, EXAMPLES) {}

const documented = (dto: { prototype: object }, field: string): unknown =>
  Reflect.getMetadata('swagger/apiModelProperties', dto.prototype, field);
const LEG = { $ref: '#/components/schemas/LegDto' };

describe('a class that is made from a schema', () => {
  it.each<[string, object]>([
    ['name', { type: 'string', maxLength: 9, description: 'Name.', example: 'front desk', required: true }],
    ['seconds', { type: 'integer', minimum: 1, maximum: 9, default: 3, example: 5, required: false }],
    ['note', { type: 'string', nullable: true, example: null, required: false }],
    ['legs', { type: 'array', items: LEG, maxItems: 2, nullable: true, required: false }],
    ['texts', { anyOf: [{ type: 'string' }, LEG], required: false }],
  ])('documents the field %s of a request', (field, expected) =>
    expect(documented(AgentRequestDto, field)).toMatchObject(expected),
  );

  it('of a response has the fields with a default always, and no null in place of an absent one', () => {
    expect(documented(AgentResponseDto, 'seconds')).toMatchObject({ required: true });
    expect(documented(AgentResponseDto, 'note')).toMatchObject({ required: false });
    expect(documented(AgentResponseDto, 'note')).not.toHaveProperty('nullable');
    expect(documented(AgentResponseDto, 'legs')).not.toHaveProperty('nullable');
  });

  it('of a response can have every field', () =>
    expect(documented(AgentViewDto, 'note')).toMatchObject({ required: true, nullable: true }));

  it('refuses the class of another schema for a field', () =>
    expect(() => SchemaDto(agent, { ...EXAMPLES, legs: AgentRequestDto })).toThrow(
      'AgentRequestDto is not made from the schema of legs.',
    ));
});
