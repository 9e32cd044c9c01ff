import { describe, expect, it } from '@jest/globals';
import { PartialType } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import { Allow, IsOptional, IsString } from 'class-validator';
import { AsSent } from './field-validators.js';
import { validationPipe } from './validation.js';

class CreateDto {
  @IsString()
  @IsOptional()
  name?: string;

  @AsSent()
  @Allow()
  metadata?: Record<string, unknown> | null;

  @Transform(({ obj, key }: TransformFnParams) => listOf((obj as Record<string, unknown>)[key]))
  @Allow()
  numbers?: unknown;
}

const listOf = (value: unknown): unknown => (Array.isArray(value) ? value.map(String) : value);

class UpdateDto extends PartialType(CreateDto) {}

const read = (dto: typeof CreateDto, body: unknown): Promise<unknown> =>
  validationPipe().transform(body, { type: 'body', metatype: dto });

describe.each([
  ['a DTO', CreateDto],
  ['a DTO that is derived from another', UpdateDto],
])('free-form JSON of %s', (_, dto) => {
  it.each([{ constructor: 'Smith & Sons', nested: [{ prototype: 1, constructor: { a: 1 } }] }, [1], null, 'text', 7])(
    'is kept as it was sent: %j',
    async (metadata) => {
      const sent = JSON.stringify({ name: 'a', metadata });
      const body: unknown = JSON.parse(sent);
      expect(JSON.stringify(await read(dto, body))).toBe(sent);
      expect(JSON.stringify(body)).toBe(sent);
    },
  );

  it('loses the key __proto__', async () => {
    const body: unknown = JSON.parse('{"metadata":{"a":[{"__proto__":{"b":1},"c":2}]}}');
    expect(JSON.stringify(await read(dto, body))).toBe('{"metadata":{"a":[{"c":2}]}}');
  });

  it('does not include lists that are converted', async () =>
    expect(await read(dto, { numbers: [1] })).toMatchObject({ numbers: ['1'] }));

  it('is in the body again after an error', async () => {
    const body = { name: 5, metadata: { constructor: 'Smith & Sons' } };
    await expect(read(dto, body)).rejects.toThrow('name must be a string');
    expect(body.metadata).toEqual({ constructor: 'Smith & Sons' });
  });
});
