import { fileTypesWith, SELECTED_AT_MOST, TITLE_LENGTH } from '@app/knowledge';
import { ApiProperty, ApiPropertyOptional, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';

export const IDS = {
  type: 'array',
  items: { type: 'integer', minimum: 1 },
  maxItems: SELECTED_AT_MOST,
  example: [1],
} as const;
export const AGENTS =
  'IDs of further agents of the account that search the knowledge base. The agent in the path always searches it and need not be included.';

/** The form of a file upload. Its fields may have any order. */
export class UploadKnowledgeBaseDto {
  @ApiProperty({
    type: 'string',
    maxLength: TITLE_LENGTH,
    description: 'Title of the knowledge base.',
    example: 'Price list',
  })
  title: string;

  @ApiProperty({ type: 'string', enum: ['file'], description: 'Always `file`.', example: 'file' })
  source_type: 'file';

  @ApiProperty({
    type: 'string',
    format: 'binary',
    description: `${fileTypesWith('or')} file, recognized by its extension; at most 10 MB (10,485,760 bytes).`,
  })
  file: unknown;

  @ApiPropertyOptional({ ...IDS, description: `${AGENTS} The field is repeated for each ID.` })
  agent_ids?: number[];
}

const PATH = '/api/v1/agents/{agent_id}/knowledge-bases';

/** Adds the upload form to the document: decorators allow one schema for all content types, and JSON has another. */
export function withUploadForm(document: OpenAPIObject): OpenAPIObject {
  const body = document.paths[PATH]?.post?.requestBody;
  if (body && 'content' in body) {
    body.content['multipart/form-data'] = { schema: { $ref: getSchemaPath(UploadKnowledgeBaseDto) } };
  }
  return document;
}

/** JSON bodies for Swagger UI. */
export const CREATE_EXAMPLES = {
  text: {
    summary: 'A text, searchable immediately',
    value: {
      title: 'Returns',
      source_type: 'text',
      content: '# Returns\n\nGoods can be returned within 30 days. Refunds take five working days.',
    },
  },
  url: {
    summary: 'A web page, fetched in the background',
    value: { title: 'Opening hours', source_type: 'url', source_reference: 'https://example.com/contact' },
  },
  crawl: {
    summary: 'The pages of a site, fetched again every night',
    value: {
      title: 'Help center',
      source_type: 'url',
      source_reference: 'https://example.com/help',
      crawl: { max_pages: 100, include: ['/help/**'], exclude: ['/help/archive'] },
      refresh: '0 3 * * *',
    },
  },
};

export const UPDATE_EXAMPLES = {
  text: {
    summary: 'A text, and whether the agent uses it',
    value: { title: 'Returns and refunds', content: 'Goods can be returned within 60 days.', is_active: true },
  },
};
