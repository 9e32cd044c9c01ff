import { describe, expect, it } from '@jest/globals';
import { PartialType } from '@nestjs/swagger';
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
}

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
      const body = { name: 'a', metadata };
      expect(await read(dto, body)).toEqual(Object.assign(new dto(), { name: 'a', metadata }));
      expect(body).toEqual({ name: 'a', metadata });
    },
  );

  it('is in the body again after an error', async () => {
    const body = { name: 5, metadata: { constructor: 'Smith & Sons' } };
    await expect(read(dto, body)).rejects.toThrow();
    expect(body.metadata).toEqual({ constructor: 'Smith & Sons' });
  });
});
