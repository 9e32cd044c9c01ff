import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Document {
  components: { schemas: { CreateTokenDto: { properties: { scopes: { items: { enum: string[] } } } } } };
}

const document = JSON.parse(readFileSync(join(process.cwd(), 'openapi.json'), 'utf8')) as Document;

/** All scopes of tokens, as the API documents them. */
export const SCOPES: readonly string[] = document.components.schemas.CreateTokenDto.properties.scopes.items.enum;
