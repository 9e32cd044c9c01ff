import type { Acting } from '@app/audit';
import { InvalidFields } from '@app/common';
import { type UrlRules, urlProblem } from '@app/egress';
import { type IdempotencyKey, idempotencyKey } from '@app/database';
import {
  type AgentOfAccount,
  type CreatedKnowledgeBase,
  createFile,
  createText,
  createUrl,
  deleteKnowledgeBase,
  findKnowledgeBase,
  type KnowledgeBaseWithContent,
  type KnowledgeChanges,
  type KnowledgeFilter,
  type KnowledgeParts,
  pageOfKnowledgeBases,
  reprocessKnowledgeBase,
  updateKnowledgeBase,
} from '@app/knowledge';
import type { CreateKnowledgeBaseDto } from './create-knowledge-base.dto.js';
import type { UploadedFile } from './staged-file.js';

export interface KnowledgeServiceParts extends KnowledgeParts {
  urlRules: UrlRules;
}

/** The knowledge bases of an account's agents, with what this process has to do it with. */
export class KnowledgeBasesService {
  constructor(private readonly parts: KnowledgeServiceParts) {}

  create(
    agent: AgentOfAccount & Acting,
    body: CreateKnowledgeBaseDto,
    key?: IdempotencyKey,
  ): Promise<CreatedKnowledgeBase> {
    const { title, source_type: sourceType } = body;
    if (sourceType === 'text') return createText(this.parts, agent, { title, content: body.content ?? '' }, key);
    if (sourceType === 'file') return createFile(this.parts, agent, { title, file: received(body.file) }, key);
    return createUrl(this.parts, agent, { title, url: this.permitted(body.source_reference ?? '') }, key);
  }

  /** Throws InvalidFields when the address is none that may be fetched. */
  private permitted(url: string): string {
    const problem = urlProblem(url, this.parts.urlRules);
    if (problem !== undefined) throw new InvalidFields({ source_reference: [problem] });
    return url;
  }

  find(agent: AgentOfAccount, id: number): Promise<KnowledgeBaseWithContent> {
    return findKnowledgeBase(this.parts.pool, agent, id);
  }

  page(agent: AgentOfAccount, filter: KnowledgeFilter, place: { page: number; perPage: number }) {
    return pageOfKnowledgeBases(this.parts.pool, agent, filter, place);
  }

  update(agent: AgentOfAccount & Acting, id: number, changes: KnowledgeChanges): Promise<KnowledgeBaseWithContent> {
    return updateKnowledgeBase(this.parts.pool, agent, id, changes);
  }

  delete(agent: AgentOfAccount & Acting, id: number): Promise<void> {
    return deleteKnowledgeBase(this.parts, agent, id);
  }

  reprocess(agent: AgentOfAccount & Acting, id: number): Promise<KnowledgeBaseWithContent> {
    return reprocessKnowledgeBase(this.parts, agent, id);
  }
}

/** IsSourceField has looked at it. */
function received(file: UploadedFile | undefined): Parameters<typeof createFile>[2]['file'] {
  if (file?.type === undefined) throw new InvalidFields({ file: ['The file field is required.'] });
  return { path: file.path, name: file.name, type: file.type, bytes: file.bytes };
}

/** The key for what was asked of which agent; a file counts by its name and content. */
export function keyOf(header: string | undefined, agentId: number, body: unknown): IdempotencyKey | undefined {
  const { file, ...fields } = (body ?? {}) as { file?: UploadedFile };
  const sent = file instanceof Object && 'sha256' in file ? { name: file.name, sha256: file.sha256 } : file;
  return idempotencyKey(header, { knowledge_base_of: agentId, ...fields, file: sent });
}
