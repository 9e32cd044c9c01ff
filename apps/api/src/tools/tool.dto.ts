import { ACTION_METHODS, type JsonSchema, type ToolView } from '@app/tools';
import { ApiProperty } from '@nestjs/swagger';
import { ListLinksDto, PageMetaDto } from '../calls/call.dto.js';

const time = (description: string) =>
  ({ type: 'string', format: 'date-time', description, example: '2026-01-02T03:04:05.678+00:00' }) as const;
const id = (description: string) => ({ type: 'integer', description, example: 1 }) as const;
const object = (description: string, example: object | null) =>
  ({ type: 'object', additionalProperties: true, nullable: true, description, example }) as const;

type ActionView = ToolView['webhook_actions'][number];

class WebhookActionDto implements ActionView {
  @ApiProperty(id('Identifier; a new one whenever the list of actions is given anew.'))
  id: number;

  @ApiProperty({ type: 'string', description: 'The agent gets its result under this name.', example: 'book' })
  name: string;

  @ApiProperty({
    type: 'string',
    maxLength: 2048,
    description: 'Where the request goes, with its placeholders.',
    example: 'https://example.com/bookings/{{args.date}}',
  })
  url: string;

  @ApiProperty({ type: 'string', enum: ACTION_METHODS, description: 'Its HTTP method.', example: 'POST' })
  method: ActionView['method'];

  @ApiProperty(object('Its JSON body, with placeholders; null: the arguments are sent.', { date: '{{args.date}}' }))
  payload: Record<string, unknown> | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    nullable: true,
    description: 'Its headers by name; secret values are `********`.',
    example: { Authorization: '********', 'X-Team': 'front-desk' },
  })
  headers: Record<string, string> | null;

  @ApiProperty(object('What is appended to the query of the URL.', { source: 'phone' }))
  query_params: ActionView['query_params'];

  @ApiProperty({ type: 'boolean', description: 'Whether the agent waits for the answer.', example: true })
  wait_response: boolean;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 120, description: 'How long it waits.', example: 10 })
  timeout_seconds: number;
}

class ToolDto implements ToolView {
  @ApiProperty(id('Identifier, unique within the service.'))
  id: number;

  @ApiProperty(id('The agent that uses it.'))
  agent_id: number;

  @ApiProperty({ type: 'string', maxLength: 64, description: 'What the agent calls it.', example: 'book_table' })
  name: string;

  @ApiProperty({
    type: 'string',
    description: 'By this the agent decides when to use it.',
    example: 'Books a table. Use it when the caller has told a day and the number of guests.',
  })
  description: string;

  @ApiProperty({ type: 'boolean', description: 'Whether the agent may use it.', example: true })
  is_active: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'JSON Schema of its input.',
    example: { type: 'object', properties: { date: { type: 'string', format: 'date' } }, required: ['date'] },
  })
  parameters: JsonSchema;

  @ApiProperty({ type: [WebhookActionDto], description: 'The requests that are made, in this order.' })
  webhook_actions: WebhookActionDto[];

  @ApiProperty(time('When it was made.'))
  created_at: string;

  @ApiProperty(time('When it last changed.'))
  updated_at: string;
}

export class FoundToolDto {
  @ApiProperty({ type: ToolDto, description: 'The tool.' })
  data: ToolDto;
}

export class ToolWithMessageDto extends FoundToolDto {
  @ApiProperty({ type: 'string', description: 'What was done.', example: 'Tool created successfully.' })
  message: string;
}

export class ToolDeletedDto {
  @ApiProperty({ type: 'string', description: 'What was done.', example: 'Tool deleted successfully.' })
  message: string;
}

export class ToolListDto {
  @ApiProperty({ type: [ToolDto], description: 'The tools of this page, newest first.' })
  data: ToolDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Neighbouring pages.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Where this page lies in the list.' })
  meta: PageMetaDto;
}
