import { newWebKey, type WebKeyView } from '@app/calls';
import { ApiProperty } from '@nestjs/swagger';
import { nullableTime, time } from '../http/responses/api-time.js';
import { ListLinksDto, PageMetaDto } from '../http/responses/pagination.js';
import { PartialDto, SchemaDto, ViewDto } from '../http/validation/schema-dto.js';

const EXAMPLES = {
  name: 'website',
  agent_id: 1,
  origins: ['https://www.example.com'],
  calls_per_minute: 6,
  concurrent_calls: 10,
  daily_spend_usd: 20,
  max_seconds: 600,
  variables_allowed: ['customer_name'],
};

export class CreateWebKeyDto extends SchemaDto(newWebKey, EXAMPLES) {}

/** Absent fields stay unchanged. */
export class UpdateWebKeyDto extends PartialDto(CreateWebKeyDto) {}

export const CREATE_WEB_KEY_EXAMPLES = {
  short: { summary: 'The defaults', value: { name: 'website', agent_id: 1, origins: ['https://www.example.com'] } },
  limited: { summary: 'Limits and a variable', value: EXAMPLES },
};

export const UPDATE_WEB_KEY_EXAMPLES = {
  origins: {
    summary: 'A page in development, too',
    value: { origins: ['https://www.example.com', 'http://localhost:3000'] },
  },
};

class WebKeyDto extends ViewDto(newWebKey, EXAMPLES) implements WebKeyView {
  @ApiProperty({ type: 'integer', description: 'Unique identifier.', example: 1 })
  id: number;

  @ApiProperty({
    type: 'string',
    description: 'The key. It stands in web pages and is not a secret: its origins and limits protect it.',
    example: 'pk_8fJq2mX0vB6nT4cR1wY7zK3pL9sD5gHa',
  })
  key: string;

  @ApiProperty(time('Time of creation.'))
  created_at: string;

  @ApiProperty(nullableTime('Time of the last use, to the minute. Null: not used yet.'))
  last_used_at: string | null;

  @ApiProperty(nullableTime('Time of the revocation. Null: not revoked.', null))
  revoked_at: string | null;

  declare daily_spend_usd: number | null;
}

export class WebKeyListDto {
  @ApiProperty({ type: [WebKeyDto], description: 'The web keys on this page, newest first.' })
  data: WebKeyDto[];

  @ApiProperty({ type: ListLinksDto, description: 'Links to other pages of the list.' })
  links: ListLinksDto;

  @ApiProperty({ type: PageMetaDto, description: 'Position of this page in the list.' })
  meta: PageMetaDto;
}

export class FoundWebKeyDto {
  @ApiProperty({ type: WebKeyDto, description: 'The web key.' })
  data: WebKeyDto;
}

export class WebKeyWithMessageDto extends FoundWebKeyDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Web key created successfully.' })
  message: string;
}

export class WebKeyRevokedDto {
  @ApiProperty({ type: 'string', description: 'Result of the request.', example: 'Web key revoked successfully.' })
  message: string;
}
