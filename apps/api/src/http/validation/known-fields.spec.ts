import { node } from '@app/common/field-schemas';
import { describe, expect, it } from '@jest/globals';
import { ApiProperty } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { z } from 'zod';
import { meantField, unknownFields } from './known-fields.js';
import { PartialDto, SchemaDto } from './schema-dto.js';

class ActionDto {
  @ApiProperty()
  @Allow()
  url: string;
}

class ToolDto {
  @ApiProperty()
  @Allow()
  to_number: string;

  @ApiProperty({ type: [ActionDto] })
  @Allow()
  actions: ActionDto[];

  @ApiProperty({ type: 'object', additionalProperties: true })
  @Allow()
  metadata: object;
}

const idle = node({ after_seconds: z.number().optional() });
const agent = node({ name: z.string(), idle: idle.optional(), steps: z.array(idle).default([]) });

class IdleDto extends SchemaDto(idle, { after_seconds: 1 }) {}
class AgentDto extends SchemaDto(agent, { name: 'a', idle: IdleDto, steps: IdleDto }) {}
class AgentChangeDto extends PartialDto(AgentDto) {}

describe('the field that an unknown one may be', () => {
  it.each([
    [ToolDto, 'toNumber', 'to_number'],
    [ToolDto, 'to_numbr', 'to_number'],
    [ToolDto, 'actions.0.urll', 'actions.0.url'],
    [ToolDto, 'url', 'url of actions'],
    [ToolDto, 'metadata.url', undefined],
    [ToolDto, 'colour', undefined],
    [AgentDto, 'idle.afterSeconds', 'idle.after_seconds'],
    [AgentDto, 'steps.1.after_second', 'steps.1.after_seconds'],
    [AgentChangeDto, 'idle.afterSeconds', 'idle.after_seconds'],
    [AgentChangeDto, 'after_seconds', 'after_seconds of idle'],
    [undefined, 'to_numbr', undefined],
  ])('of %p is for %s %s', (dto, field, meant) => {
    expect(meantField(dto, field)).toBe(meant);
  });
});

describe('the unknown fields of a body', () => {
  it.each<[string, typeof AgentDto | typeof AgentChangeDto | typeof ToolDto, unknown, string[]]>([
    [
      'are found at any depth',
      AgentDto,
      { name: 'a', nam: 1, idle: { x: 1 }, steps: [{}, { y: 1 }] },
      ['idle.x', 'steps.1.y', 'nam'],
    ],
    ['are found beside other faults', AgentChangeDto, { name: 5, idle: { x: 1 } }, ['idle.x']],
    ['are none in a known body', AgentChangeDto, { idle: {} }, []],
    ['are left to the pipe where there is no schema', ToolDto, { x: 1 }, []],
  ])('%s', (_, dto, body, fields) => {
    expect(unknownFields(dto, body).toSorted()).toEqual(fields.toSorted());
  });
});
