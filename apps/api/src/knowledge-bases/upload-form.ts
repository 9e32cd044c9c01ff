import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { UploadKnowledgeBaseDto } from './create-knowledge-base.dto.js';

const PATH = '/api/v1/agents/{agent_id}/knowledge-bases';

/** Adds the form that files are uploaded in: a decorator gives all types of content one schema, and JSON has another. */
export function withUploadForm(document: OpenAPIObject): OpenAPIObject {
  const body = document.paths[PATH]?.post?.requestBody;
  if (body && 'content' in body) {
    body.content['multipart/form-data'] = { schema: { $ref: getSchemaPath(UploadKnowledgeBaseDto) } };
  }
  return document;
}
