import { bodyOf, dataOf, type Schemas } from '@app/client';
import { apiOf, type ApiClient } from './api-client.js';
import type { Workspace } from './factories.js';

export type KnowledgeBase = Schemas['KnowledgeBaseDto'];
type Page = Schemas['KnowledgePageDto'];
export type Passage = Schemas['PassageDto'];
export type KnowledgeTest = Schemas['KnowledgeTestDto'];

const ALL = '/api/v1/agents/{agent_id}/knowledge-bases';
const ONE = '/api/v1/agents/{agent_id}/knowledge-bases/{id}';
const TESTS = '/api/v1/agents/{agent_id}/knowledge-bases/tests';

/** A client for the knowledge bases of one agent, like the program of a user. */
export class KnowledgeClient {
  private readonly api: ApiClient;
  private readonly agent: { agent_id: number };

  constructor(service: { baseUrl: string }, account: Pick<Workspace, 'token' | 'agentId' | 'numberId'>) {
    this.api = apiOf(service, account);
    this.agent = { agent_id: account.agentId };
  }

  text = (title: string, content: string, agent_ids: number[] = []) =>
    this.create({ title, source_type: 'text', content, agent_ids });
  url = (url: string) => this.create({ title: 'Page', source_type: 'url', source_reference: url });
  crawl = (url: string, crawl: Schemas['CrawlDto'] = {}, refresh?: string) =>
    this.create({ title: 'Site', source_type: 'url', source_reference: url, crawl, ...(refresh && { refresh }) });
  file = (name: string, content: Uint8Array | string) =>
    this.create({ title: name, source_type: 'file', file: new File([content], name) });

  list = (query: { page?: number; per_page?: number } = {}) =>
    dataOf(this.api.GET(ALL, { params: { path: this.agent, query } }));
  get = (id: number) => dataOf(this.api.GET(ONE, this.the(id)));
  pages = (id: number, query: { state?: Page['state']; per_page?: number } = { per_page: 100 }) =>
    dataOf(this.api.GET(`${ONE}/pages`, { params: { path: { ...this.agent, id }, query } }));
  change = (id: number, body: Schemas['UpdateKnowledgeBaseDto']) =>
    dataOf(this.api.PATCH(ONE, { ...this.the(id), body }));
  reprocess = (id: number) => dataOf(this.api.POST(`${ONE}/reprocess`, this.the(id)));
  delete = (id: number) => bodyOf(this.api.DELETE(ONE, this.the(id)));

  release = (id: number) => dataOf(this.api.POST(`${ONE}/release`, this.the(id)));
  discard = (id: number) => dataOf(this.api.POST(`${ONE}/discard`, this.the(id)));

  addTest = (body: Schemas['CreateKnowledgeTestDto']) =>
    dataOf(this.api.POST(TESTS, { params: { path: this.agent }, body }));
  getTest = (id: number) => dataOf(this.api.GET(`${TESTS}/{id}`, this.the(id)));
  changeTest = (id: number, body: Schemas['UpdateKnowledgeTestDto']) =>
    dataOf(this.api.PATCH(`${TESTS}/{id}`, { ...this.the(id), body }));
  tests = () => dataOf(this.api.GET(TESTS, { params: { path: this.agent } }));
  runTests = () => dataOf(this.api.POST(`${TESTS}/run`, { params: { path: this.agent } }));

  /** One query, or several wordings of a question. */
  search = (asked: string | string[], limit = 5) => {
    const body = typeof asked === 'string' ? { query: asked, limit } : { queries: asked, limit };
    return dataOf(this.api.POST(`${ALL}/search`, { params: { path: this.agent }, body }));
  };

  private the(id: number) {
    return { params: { path: { ...this.agent, id } } };
  }

  private create(body: Schemas['CreateKnowledgeBaseDto'] | Schemas['UploadKnowledgeBaseDto']): Promise<KnowledgeBase> {
    return dataOf(this.api.POST(ALL, { params: { path: this.agent }, body }));
  }
}
