import { ApiClient, type ApiAnswer } from './api-client.js';
import type { Stack } from './stack.js';
import type { TestAccount } from './workspace.js';

export interface KnowledgeBase {
  id: number;
  status: string;
  stage: string | null;
  progress: number;
  attempt: number;
  error_code: string | null;
  processing_error: string | null;
  word_count: number;
  character_count: number;
  chunk_count: number;
}

export interface Passage {
  knowledge_base_id: number;
  title: string;
  source: string | null;
  text: string;
  score: number;
  page: number | null;
  heading_path: string[];
  rows: { first: number; last: number } | null;
}

/** The knowledge bases of one agent as a user's program meets them. */
export class KnowledgeClient {
  private readonly api: ApiClient;
  private readonly path: string;

  constructor(
    private readonly stack: Stack,
    private readonly account: TestAccount,
  ) {
    this.api = new ApiClient(stack.baseUrl, account.token);
    this.path = `/agents/${account.agentId}/knowledge-bases`;
  }

  async file(name: string, content: Uint8Array | string): Promise<KnowledgeBase> {
    const form = new FormData();
    form.set('title', name);
    form.set('source_type', 'file');
    form.set('file', new Blob([content]), name);
    const response = await fetch(`${this.stack.baseUrl}/api/v1${this.path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.account.token}`, accept: 'application/json' },
      body: form,
    });
    return created(response.status, (await response.json()) as { data: KnowledgeBase });
  }

  async url(url: string): Promise<KnowledgeBase> {
    const answer = await this.api.request<{ data: KnowledgeBase }>('POST', this.path, {
      title: 'Page',
      source_type: 'url',
      source_reference: url,
    });
    return created(answer.status, answer.body);
  }

  async get(id: number): Promise<KnowledgeBase> {
    return (await this.api.request<{ data: KnowledgeBase }>('GET', `${this.path}/${id}`)).body.data;
  }

  reprocess(id: number): Promise<ApiAnswer<unknown>> {
    return this.api.request('POST', `${this.path}/${id}/reprocess`);
  }

  delete(id: number): Promise<ApiAnswer<unknown>> {
    return this.api.request('DELETE', `${this.path}/${id}`);
  }

  async search(query: string, limit = 5): Promise<Passage[]> {
    const answer = await this.api.request<{ data: Passage[] }>('POST', `${this.path}/search`, { query, limit });
    if (answer.status !== 200) throw new Error(`search: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }
}

function created(status: number, body: { data: KnowledgeBase }): KnowledgeBase {
  if (status !== 201) throw new Error(`POST knowledge-bases: ${status} ${JSON.stringify(body)}`);
  return body.data;
}
