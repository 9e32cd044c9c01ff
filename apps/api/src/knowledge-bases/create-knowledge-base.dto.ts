import { InvalidFields } from '@app/common';
import { type IdempotencyKey, idempotencyKey } from '@app/database';
import {
  CONTENT_LENGTH,
  type CreateKnowledgeBaseCommand,
  fileTypesWith,
  SOURCE_TYPES,
  type SourceType,
  TITLE_LENGTH,
} from '@app/knowledge';
import { ApiHideProperty, ApiProperty, ApiPropertyOptional, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength, MinLength, NotContains } from 'class-validator';
import { must } from '../http/validation-messages.js';
import { Trimmed } from '../http/transforms.js';
import { addressProblem, contentProblem, fileProblem, IsSourceField } from './source-validation.js';
import type { UploadedFile } from './staged-file.js';

export class CreateKnowledgeBaseDto {
  @ApiProperty({
    type: 'string',
    minLength: 1,
    maxLength: TITLE_LENGTH,
    description: 'What people call it.',
    example: 'Returns',
  })
  @Trimmed()
  @NotContains('\0', { message: 'The title field must not contain null characters.' })
  @MaxLength(TITLE_LENGTH, { message: must.beShort(TITLE_LENGTH) })
  @MinLength(1, { message: must.beText })
  @IsString({ message: must.beText })
  title: string;

  @ApiProperty({ type: 'string', enum: SOURCE_TYPES, description: 'Where its content comes from.', example: 'text' })
  @IsIn(SOURCE_TYPES, { message: must.beOneOf })
  source_type: SourceType;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: CONTENT_LENGTH,
    nullable: true,
    description: 'The text, plain or in Markdown, of a `text`. A longer one is uploaded as a file.',
    example: 'Goods can be returned within 30 days.',
  })
  @IsSourceField('text', contentProblem)
  content?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    maxLength: 2048,
    nullable: true,
    description: 'The http or https address of a `url`: a page, or a PDF, DOCX, CSV, Markdown or text file.',
    example: null,
  })
  @Trimmed()
  @IsSourceField('url', addressProblem)
  source_reference?: string | null;

  /** Put here by UploadInterceptor. */
  @ApiHideProperty()
  @IsSourceField('file', fileProblem)
  file?: UploadedFile;
}

/** The form that a file is sent in; its fields may come in any order. */
export class UploadKnowledgeBaseDto {
  @ApiProperty({ type: 'string', maxLength: TITLE_LENGTH, description: 'What people call it.', example: 'Price list' })
  title: string;

  @ApiProperty({ type: 'string', enum: ['file'], description: '`file`.', example: 'file' })
  source_type: 'file';

  @ApiProperty({
    type: 'string',
    format: 'binary',
    description: `${fileTypesWith('or')}, told by the extension of its name; at most 10 MB (10,485,760 bytes).`,
  })
  file: unknown;
}

export function toCreateKnowledgeBaseCommand(body: CreateKnowledgeBaseDto): CreateKnowledgeBaseCommand {
  const { title, source_type: sourceType, content, source_reference: url, file } = body;
  if (sourceType === 'text') return { sourceType, title, content: content ?? '' };
  if (sourceType === 'url') return { sourceType, title, url: url ?? '' };
  // IsSourceField has checked it.
  if (file?.type === undefined) throw new InvalidFields({ file: ['The file field is required.'] });
  return { sourceType, title, file: { path: file.path, name: file.name, type: file.type, bytes: file.bytes } };
}

/** The key covers the agent and the body; a file counts by its name and content. */
export function idempotencyKeyOf(
  header: string | undefined,
  agentId: number,
  body: unknown,
): IdempotencyKey | undefined {
  const { file, ...fields } = (body ?? {}) as { file?: UploadedFile };
  const sent = file instanceof Object && 'sha256' in file ? { name: file.name, sha256: file.sha256 } : file;
  return idempotencyKey(header, { knowledge_base_of: agentId, ...fields, file: sent });
}

const PATH = '/api/v1/agents/{agent_id}/knowledge-bases';

/** Adds the form that files are uploaded in: a decorator gives all types of content one schema, and JSON has another. */
export function withUploadForm(document: OpenAPIObject): OpenAPIObject {
  const body = document.paths[PATH]?.post?.requestBody;
  if (body && 'content' in body) {
    body.content['multipart/form-data'] = { schema: { $ref: getSchemaPath(UploadKnowledgeBaseDto) } };
  }
  return document;
}

/** JSON bodies for Swagger; agent 1 is the one of the demo workspace. */
export const CREATE_EXAMPLES = {
  text: {
    summary: 'A text, which can be searched at once',
    value: {
      title: 'Returns',
      source_type: 'text',
      content: '# Returns\n\nGoods can be returned within 30 days. Refunds take five working days.',
    },
  },
  url: {
    summary: 'A page, which is fetched in the background',
    value: { title: 'Opening hours', source_type: 'url', source_reference: 'https://example.com/contact' },
  },
};
